import { parseHttpDate } from './http-date.ts'

/** What tells one state of a representation from another. */
export interface Validators {
  /** Strong, with its quotes; it holds no comma. */
  readonly etag: string
  /** Milliseconds since the epoch; only its whole seconds count. */
  readonly lastModified: number
}

/** A field of the request, by lower-case name. */
export type ReadField = (name: string) => string | null

/**
 * Whether a GET or HEAD is answered with the representation that these validators are of, in the order of
 * RFC 9110 §13.2.2. Headers that are malformed hold for nothing. Linear, and never throws.
 */
export function checkConditions(field: ReadField, validators: Validators): 'proceed' | 304 | 412 {
  if (!isAsExpected(field, validators)) return 412
  return isKnown(field, validators) ? 304 : 'proceed'
}

function isAsExpected(field: ReadField, { etag, lastModified }: Validators): boolean {
  const ifMatch = field('if-match')
  if (ifMatch !== null) return holdsTag(ifMatch, etag, 'strong')
  const ifUnmodifiedSince = field('if-unmodified-since')
  return ifUnmodifiedSince === null || !isAfter(lastModified, ifUnmodifiedSince, false)
}

function isKnown(field: ReadField, { etag, lastModified }: Validators): boolean {
  const ifNoneMatch = field('if-none-match')
  if (ifNoneMatch !== null) return holdsTag(ifNoneMatch, etag, 'weak')
  const ifModifiedSince = field('if-modified-since')
  return ifModifiedSince !== null && !isAfter(lastModified, ifModifiedSince, true)
}

/** A list of tags, or `*` for any. Compared weakly, a tag matches its weak form too (§8.8.3.2). */
function holdsTag(list: string, etag: string, comparison: 'strong' | 'weak'): boolean {
  if (list === etag || list.trim() === '*') return true
  return list.split(',').some((member) => {
    const tag = member.trim()
    return tag === etag || (comparison === 'weak' && tag === `W/${etag}`)
  })
}

/** `otherwise` when it is no date. */
function isAfter(milliseconds: number, date: string, otherwise: boolean): boolean {
  const seconds = parseHttpDate(date.trim())
  return seconds === null ? otherwise : Math.floor(milliseconds / 1000) > seconds
}
