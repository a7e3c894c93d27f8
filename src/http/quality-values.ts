/**
 * Parses an `Accept-…` header: names in lower case, each with its weight from 0 to 1 (RFC 9110 §12.4.2). Ignores
 * malformed members and repeated names. Linear, and never throws.
 */
export function parseWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>()
  for (const member of header.split(',')) {
    const [name = '', ...parameters] = member.split(';').map((piece) => piece.trim().toLowerCase())
    const weight = parseWeight(parameters)
    if (name !== '' && weight !== null && !weights.has(name)) weights.set(name, weight)
  }
  return weights
}

function parseWeight(parameters: readonly string[]): number | null {
  const [parameter, ...others] = parameters
  if (parameter === undefined) return 1
  const isWeight = others.length === 0 && /^q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(parameter)
  return isWeight ? Number(parameter.slice(2)) : null
}
