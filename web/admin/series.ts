import type { AnswerTo } from '#api/contract/client.ts'
import { formatBytes } from '#web/parts/bytes.ts'

export type Series = AnswerTo<'GET /api/admin/series'>

export interface Metric {
  readonly metric: 'requests' | 'latency' | 'errors' | 'ingest-lag' | 'disk'
  readonly title: string
  readonly unit: Unit
}

export type Unit = 'a minute' | 'ms' | 's' | 'bytes'

/** `12.5 ms`; a dash for what is not known. */
export function valueText(value: number | null | undefined, unit: Unit): string {
  if (value === null || value === undefined) return '–'
  if (unit === 'bytes') return formatBytes(value)
  return `${value.toLocaleString('en', { maximumSignificantDigits: 3 })} ${unit}`
}

export const hasValues = ({ series }: Series): boolean =>
  series.some(({ values }) => values.some((value) => value !== null))

/** A line in words: its latest and its highest value. */
export interface LineText {
  readonly now: string
  readonly highest: string
}

export function lineText(values: readonly (number | null)[], unit: Unit): LineText {
  const highest = values.reduce<number | null>(
    (most, value) => (value !== null && value > (most ?? -1) ? value : most),
    null,
  )
  return { now: valueText(values.at(-1), unit), highest: valueText(highest, unit) }
}

/** How the line of each series is drawn, so that one tells them apart without colour too. */
export const strokeOf = (at: number): { readonly isSecond: boolean; readonly dash: number[] } => ({
  isSecond: at % 2 === 1,
  dash: [...(dashes[at % dashes.length] ?? [])],
})

const dashes = [[], [6, 3], [12, 4], [2, 3], [8, 3, 2, 3], [1, 2]]
