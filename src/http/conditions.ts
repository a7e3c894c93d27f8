import { parseHttpDate } from './http-date.ts'

/** Identify one state of a representation. */
export interface Validators {
  /** Strong, in quotes, without a comma. */
  readonly etag: string
  /** Milliseconds since the epoch; compared in whole seconds. */
  readonly lastModified: number
}

/** Returns a request header by its lower-case name. */
export type ReadField = (name: string) => string | null

/**
 * Evaluates the preconditions of a GET or HEAD in the order of RFC 9110 §13.2.2. Ignores malformed dates; a
 * malformed tag matches nothing. Linear, and never throws.
 */
export function checkConditions(field: ReadField, validators: Validators): 'proceed' | 304 | 412 {
  if (!isAsExpected(field, validators)) return 412
  return isKnown(field, validators) ? 304 : 'proceed'
}

function isAsExpected(field: ReadField, { etag, lastModified }: Validators): boolean {
  const ifMatch = field('if-match')
  if (ifMatch !== null) return hasTag(ifMatch, etag, 'strong')
  const ifUnmodifiedSince = field('if-unmodified-since')
  return ifUnmodifiedSince === null || !isAfter(lastModified, ifUnmodifiedSince, false)
}

function isKnown(field: ReadField, { etag, lastModified }: Validators): boolean {
  const ifNoneMatch = field('if-none-match')
  if (ifNoneMatch !== null) return hasTag(ifNoneMatch, etag, 'weak')
  const ifModifiedSince = field('if-modified-since')
  return ifModifiedSince !== null && !isAfter(lastModified, ifModifiedSince, true)
}

/** `list`: tags, or `*` for any. Weak comparison also matches the tag's weak form (§8.8.3.2). */
export function hasTag(list: string, etag: string, comparison: 'strong' | 'weak'): boolean {
  if (list === etag || list.trim() === '*') return true
  return list.split(',').some((member) => {
    const tag = member.trim()
    return tag === etag || (comparison === 'weak' && tag === `W/${etag}`)
  })
}

/** Returns `otherwise` if `date` is invalid. */
function isAfter(milliseconds: number, date: string, otherwise: boolean): boolean {
  const seconds = parseHttpDate(date.trim())
  return seconds === null ? otherwise : Math.floor(milliseconds / 1000) > seconds
}
