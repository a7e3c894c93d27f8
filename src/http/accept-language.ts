import { parseWeights } from './quality-values.ts'

/** The first of the most wanted language tags, in lower case (RFC 9110 §12.5.4); null: none. Never throws. */
export const preferredLanguage = (header: string | null): string | null =>
  preferredLanguages(header)[0] ?? null

/** All that are wanted, in lower case, the most wanted first. Never throws. */
export function preferredLanguages(header: string | null): string[] {
  const wanted = [...parseWeights(header ?? '')].filter(
    ([tag, weight]) => tag !== '*' && weight > 0,
  )
  return wanted.toSorted(([, a], [, b]) => b - a).map(([tag]) => tag)
}
