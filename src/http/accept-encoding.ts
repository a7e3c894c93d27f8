import { parseWeights } from './weights.ts'

/** What visitors may get: as it is stored, decoded, or what we made of it. */
export type ContentCoding = 'gzip' | 'identity' | 'br' | 'zstd'

/**
 * Which of the codings that we have to send (RFC 9110 §12.5.3). Without the header identity; among
 * equally wanted ones the first of `available`; identity also when the client refuses all there is,
 * for a page in the wrong coding helps more than an error. Never throws.
 */
export function preferredCoding(
  header: string | null,
  available: readonly ContentCoding[],
): ContentCoding {
  if (header === null) return 'identity'
  const weights = parseWeights(header)
  let best: ContentCoding = 'identity'
  let bestWeight = 0
  for (const coding of available) {
    const weight = weightOf(coding, weights)
    if (weight > bestWeight) {
      best = coding
      bestWeight = weight
    }
  }
  return best
}

/** Identity is acceptable unless it is refused, but whoever names a coding wants that one more. */
const unnamedIdentityWeight = 0.0001

function weightOf(coding: ContentCoding, weights: ReadonlyMap<string, number>): number {
  const fallback = coding === 'identity' ? unnamedIdentityWeight : 0
  return weights.get(coding) ?? weights.get(aliases[coding]) ?? weights.get('*') ?? fallback
}

/** RFC 9110 §8.4.1.3; the others have none. */
const aliases = { gzip: 'x-gzip', br: 'br', identity: 'identity', zstd: 'zstd' }
