/** The part of a representation to send: all of it, a range, or nothing because the range is outside it. */
export type RangeDecision =
  | 'whole'
  | 'unsatisfiable'
  /** Both inclusive, within the representation. */
  | { readonly first: number; readonly last: number }

/**
 * Decides on the `Range` of a GET for a representation of `length` bytes with the strong tag `etag` (RFC 9110 §14.2).
 * Supports a single byte range; anything else gets the whole. Linear, and never throws.
 */
export function decideRange(
  range: string | null,
  ifRange: string | null,
  etag: string,
  length: number,
): RangeDecision {
  if (range === null) return 'whole'
  // Strong comparison: neither a weak tag nor a date, which hides changes within its second.
  if (ifRange !== null && ifRange.trim() !== etag) return 'whole'
  const [, first, last] = /^bytes=[ \t,]*(\d*)-(\d*)[ \t,]*$/i.exec(range.trim()) ?? []
  if (first === undefined || last === undefined || first + last === '') return 'whole'
  return first === '' ? suffix(Number(last), length) : between(first, last, length)
}

/** The `Content-Range` of a 416 (the length) or a 206 (the range). */
export function contentRange(decision: Exclude<RangeDecision, 'whole'>, length: number): string {
  if (decision === 'unsatisfiable') return `bytes */${length}`
  return `bytes ${decision.first}-${decision.last}/${length}`
}

function suffix(bytes: number, length: number): RangeDecision {
  if (bytes === 0) return 'unsatisfiable'
  // No Content-Range can express a suffix of zero bytes.
  return length === 0 ? 'whole' : { first: Math.max(0, length - bytes), last: length - 1 }
}

function between(first: string, last: string, length: number): RangeDecision {
  if (last !== '' && isLess(last, first)) return 'whole'
  const from = Number(first)
  const to = last === '' ? Number.POSITIVE_INFINITY : Number(last)
  return from >= length ? 'unsatisfiable' : { first: from, last: Math.min(to, length - 1) }
}

/** Compares strings of digits: beyond 2^53 numbers are inexact. */
function isLess(a: string, b: string): boolean {
  const [x, y] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')]
  return x.length === y.length ? x < y : x.length < y.length
}
