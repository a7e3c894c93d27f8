import { wrapped } from '#cli/wrapped.ts'

/** What one check found. */
export interface Finding {
  /** What was looked at, in a word or two. */
  readonly about: string
  /** `problem`: the service cannot work as it is set up. */
  readonly level: 'ok' | 'warning' | 'problem'
  /** What was seen. */
  readonly seen: string
  /** What to do; null: nothing. */
  readonly advice: string | null
}

export const ok = (about: string, seen: string): Finding => ({
  ...{ about, level: 'ok', seen, advice: null },
})

export const warning = (about: string, seen: string, advice: string): Finding => ({
  ...{ about, level: 'warning', seen, advice },
})

export const problem = (about: string, seen: string, advice: string): Finding => ({
  ...{ about, level: 'problem', seen, advice },
})

/** What is beside the level and the subject; in a narrower terminal it is below them. */
const besideCharsMin = 40
const seenAt = 24

/** As a person reads them, in lines of `width` characters where that is known: what to do is below what was seen. */
export function findingLines(
  findings: readonly Finding[],
  width = Number.POSITIVE_INFINITY,
): string[] {
  const isBeside = width - seenAt >= besideCharsMin
  const indent = ' '.repeat(isBeside ? seenAt : 2)
  const indented = (text: string, mark = '') =>
    wrapped(text, width - indent.length - mark.length)
      .split('\n')
      .map((line, at) => indent + (at === 0 ? mark : ' '.repeat(mark.length)) + line)
  return findings.flatMap(({ about, advice, level, seen }) => {
    const [first = '', ...rest] = indented(seen)
    const head = `${level.padEnd(7)}  ${about}`
    const lines = isBeside ? [head.padEnd(seenAt) + first.slice(seenAt)] : [head, first]
    return [...lines, ...rest, ...(advice === null ? [] : indented(advice, '→ '))]
  })
}
