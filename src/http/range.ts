/** What of a representation is sent: all of it, some of its bytes, or nothing because it has none such. */
export type RangeDecision =
  | 'whole'
  | 'unsatisfiable'
  /** Both inclusive, within the representation. */
  | { readonly first: number; readonly last: number }

/**
 * What a GET asks of a representation of `length` bytes with the strong tag `etag` (RFC 9110 §14.2): one
 * range of bytes. Everything else, several ranges among it, is answered whole. Linear, and never throws.
 */
export function decideRange(
  range: string | null,
  ifRange: string | null,
  etag: string,
  length: number,
): RangeDecision {
  if (range === null) return 'whole'
  // Strong: neither a weak tag nor a date, which says nothing of changes within its second.
  if (ifRange !== null && ifRange.trim() !== etag) return 'whole'
  const [, first, last] = /^bytes=[ \t,]*(\d*)-(\d*)[ \t,]*$/i.exec(range.trim()) ?? []
  if (first === undefined || last === undefined || first + last === '') return 'whole'
  return first === '' ? suffix(Number(last), length) : between(first, last, length)
}

/** Of the 416: how long the representation is; of a 206: which bytes of it these are. */
export function contentRange(decision: Exclude<RangeDecision, 'whole'>, length: number): string {
  if (decision === 'unsatisfiable') return `bytes */${length}`
  return `bytes ${decision.first}-${decision.last}/${length}`
}

function suffix(bytes: number, length: number): RangeDecision {
  if (bytes === 0) return 'unsatisfiable'
  // The last bytes of nothing are nothing, which no Content-Range can say.
  return length === 0 ? 'whole' : { first: Math.max(0, length - bytes), last: length - 1 }
}

function between(first: string, last: string, length: number): RangeDecision {
  if (last !== '' && isLess(last, first)) return 'whole'
  const from = Number(first)
  const to = last === '' ? Number.POSITIVE_INFINITY : Number(last)
  return from >= length ? 'unsatisfiable' : { first: from, last: Math.min(to, length - 1) }
}

/** Of digits, as they are written: beyond 2^53 a number is no longer the one that was meant. */
function isLess(a: string, b: string): boolean {
  const [x, y] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')]
  return x.length === y.length ? x < y : x.length < y.length
}
