import { parseWeights } from './quality-values.ts'

/** Content codings of responses: as stored, decoded, or compressed by us. */
export type ContentCoding = 'gzip' | 'identity' | 'br' | 'zstd'

/**
 * Chooses the coding to send (RFC 9110 §12.5.3): the first of the most wanted in `available`; identity without the
 * header, and also when the client refuses all, as a page in the wrong coding helps more than an error. Never throws.
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

/** Identity is acceptable unless refused, but a named coding is preferred. */
const unnamedIdentityWeight = 0.0001

function weightOf(coding: ContentCoding, weights: ReadonlyMap<string, number>): number {
  const fallback = coding === 'identity' ? unnamedIdentityWeight : 0
  return weights.get(coding) ?? weights.get(aliases[coding]) ?? weights.get('*') ?? fallback
}

/** RFC 9110 §8.4.1.3: only gzip has an alias. */
const aliases = { gzip: 'x-gzip', br: 'br', identity: 'identity', zstd: 'zstd' }
