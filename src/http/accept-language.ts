import { parseWeights } from './weights.ts'

/** The first of the most wanted language tags, in lower case (RFC 9110 §12.5.4); null: none. Never throws. */
export function preferredLanguage(header: string | null): string | null {
  let best: string | null = null
  let bestWeight = 0
  for (const [tag, weight] of parseWeights(header ?? '')) {
    if (tag !== '*' && weight > bestWeight) {
      best = tag
      bestWeight = weight
    }
  }
  return best
}
