/** A figure that a benchmark prints. */
export interface Row {
  readonly what: string
  readonly value: number
  readonly unit: string
  /** Null: none. */
  readonly budget: number | null
  readonly detail: string
}

export function print(...rows: readonly Row[]): void {
  for (const { what, value, unit, budget, detail } of rows) {
    const verdict = budget === null ? '' : value <= budget ? `≤ ${budget}` : `OVER ${budget}`
    process.stdout.write(
      `${what.padEnd(54)}${`${value.toFixed(2)} ${unit}`.padStart(12)}  ${verdict.padEnd(10)}${detail}\n`,
    )
  }
}

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`
