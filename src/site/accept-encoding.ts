import type { Coding } from './encoding.ts'

/**
 * Which of the codings that we have to send (RFC 9110 §12.5.3). Without the header identity; among
 * equally wanted ones the first of `available`; identity also when the client refuses all there is,
 * for a page in the wrong coding helps more than an error. Never throws.
 */
export function preferredCoding(header: string | null, available: readonly Coding[]): Coding {
  const weights = parseWeights(header ?? '')
  let best: Coding = 'identity'
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

function weightOf(coding: Coding, weights: ReadonlyMap<string, number>): number {
  const fallback = coding === 'identity' ? unnamedIdentityWeight : 0
  return weights.get(coding) ?? weights.get('*') ?? fallback
}

/** Members that are not well-formed do not count; of several for one coding the first does. */
function parseWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>()
  for (const member of header.split(',')) {
    const [name = '', ...parameters] = member.split(';').map((piece) => piece.trim().toLowerCase())
    const coding = name === 'x-gzip' ? 'gzip' : name
    const weight = parseWeight(parameters)
    if (coding !== '' && weight !== null && !weights.has(coding)) weights.set(coding, weight)
  }
  return weights
}

function parseWeight(parameters: readonly string[]): number | null {
  const [parameter, ...others] = parameters
  if (parameter === undefined) return 1
  const isWeight = others.length === 0 && /^q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(parameter)
  return isWeight ? Number(parameter.slice(2)) : null
}
