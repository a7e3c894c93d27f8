import { createHash } from 'node:crypto'

interface Named {
  readonly name: string
}

/** On average a run has twice as many entries. */
const windowMax = 16

/**
 * Cuts a list of entries into runs that fit, each as a part. Where it cuts depends on the names nearby: an added entry
 * moves cuts within `windowMax` entries only, and a changed entry none. A single entry is a run even if it does not fit.
 */
export function runsOf<Item extends Named>(
  entries: readonly Item[],
  fits: (entries: readonly Item[]) => boolean,
): readonly (readonly Item[])[] {
  const ranks = entries.map(({ name }) => rankOf(name))
  const runs: (readonly Item[])[] = []
  const cut = (from: number, to: number, window: number): void => {
    const run = entries.slice(from, to)
    if (run.length === 1 || (run.length > 1 && fits(run))) runs.push(run)
    else if (run.length > 1) {
      const starts = [from, ...cutsIn(ranks, { from, to, window })]
      for (const [n, start] of starts.entries()) {
        cut(start, starts[n + 1] ?? to, Math.floor(window / 2))
      }
    }
  }
  cut(0, entries.length, windowMax)
  return runs
}

interface Range {
  readonly from: number
  readonly to: number
  readonly window: number
}

/** A run ends after an entry that outranks the `window` entries on either side of it; with window 0, after every one. */
function cutsIn(ranks: readonly number[], { from, to, window }: Range): number[] {
  const cuts: number[] = []
  for (let at = from + window; at < to - Math.max(window, 1); at++) {
    const rank = ranks[at] ?? 0
    let isHighest = true
    for (let n = 1; n <= window && isHighest; n++) {
      isHighest = rank > (ranks[at - n] ?? 0) && rank > (ranks[at + n] ?? 0)
    }
    if (isHighest) cuts.push(at + 1)
  }
  return cuts
}

/** 48 bits, so that two names of a site hardly ever have the same. */
const rankOf = (name: string): number => createHash('sha256').update(name).digest().readUIntBE(0, 6)
