import { cpuSeconds } from '../support/processes.ts'
import { median } from '../support/rows.ts'

/** What one or two instances did in a while, each with the same part of a processor. */
export interface Measure {
  readonly perSecond: number
  /** Of all instances, for one. */
  readonly cpuMs: number
  /** What the instances used of what they could have. */
  readonly used: number
  /** What all that runs used of the machine. */
  readonly machine: number
}

/** In rounds: of one instance, and of both. */
export type Compared = readonly [one: Measure[], both: Measure[]]

/** Prints the medians of one instance and of both, and how many times as much both did. Returns that. `what`: in plural. */
export function printCompared(measured: Compared, what: string): number {
  for (const [n, measures] of measured.entries()) {
    const of = (fact: keyof Measure): number => median(measures.map((each) => each[fact]))
    print(
      `  ${n + 1} of them: ${of('perSecond').toFixed(2)} ${what} a second, ${of('cpuMs').toFixed(1)} ms CPU each` +
        `; ${percent(of('used'))} of their share used, ${percent(of('machine'))} of the machine`,
    )
  }
  const [ones, boths] = measured
  const ratios = boths.map((both, n) => both.perSecond / (ones[n]?.perSecond ?? 0))
  const ratio = median(ratios)
  const each = ratios.map((ratio) => ratio.toFixed(2)).join(', ')
  print(`  ${ratio.toFixed(2)} × the ${what} (${each})`)
  return ratio
}

/** Seconds of processor time of all of them so far. */
export const cpuOfAll = async (pids: readonly number[]): Promise<number> =>
  (await Promise.all(pids.map(cpuSeconds))).reduce((sum, cpu) => sum + cpu, 0)

const percent = (part: number): string => `${(part * 100).toFixed(0)} %`

export const print = (line: string): void => void process.stdout.write(`${line}\n`)
