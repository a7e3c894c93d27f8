import { parseWeights } from './weights.ts'

/**
 * The language tag that a visitor wants most, in lower case (RFC 9110 §12.5.4); of equally wanted ones
 * the first. Null when none is named. Never throws.
 */
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
