import { combinationOf, type HeaderList } from '#http/header-fields.ts'
import { claimsServedCharset } from '#http/media-type.ts'
import { answerHeaderCharsMax, headerFieldsMax, headerValueCharsMax } from '#site/limits.ts'
import { isForCertificates, parseRequestPath } from '#site/request-path.ts'
import { EncodedPath } from './encoded-path.ts'
import type { HeaderBlock, HeaderChange } from './header-block.ts'
import type { HeaderRules } from './header-rules.ts'
import { visitRules } from './rule-index.ts'
import { fillTemplate, type TemplateValues } from './template.ts'

/** For which answer headers are wanted: nothing else of a request counts. */
export interface HeaderPlace {
  /** Canonical: lower case, no port, no trailing dot. */
  readonly host: string
  /** As it was sent, percent-encoded. */
  readonly pathname: string
  /** Whether others' sites share the host's domain, so that nothing may be said about all of it. */
  readonly isUnderBaseDomain: boolean
}

/**
 * Our own headers of an answer, by lower-case names, as the owner's rules change them. What the owner adds
 * beyond 16 KiB or 64 lines, and a value that captures make longer than one may be, is left out. Linear
 * in the rules, and once in the path.
 */
export function applyHeaderRules(
  rules: HeaderRules,
  place: HeaderPlace,
  own: Readonly<Record<string, string>>,
): HeaderList {
  const path = rules.isEmpty ? null : parseRequestPath(place.pathname)
  if (path === null || !path.ok || isForCertificates(path.segments)) return Object.entries(own)
  const asked = new EncodedPath(path)
  const owners: OwnersFields = {
    values: new Map(),
    charsLeft: answerHeaderCharsMax,
    linesLeft: headerFieldsMax,
  }
  visitRules(rules.blocks, path.segments[0] ?? '', (block) => {
    const captures = block.host === null || block.host === place.host ? block.match(asked) : null
    if (captures !== null) changeFields(owners, block, captures, place.isUnderBaseDomain)
    return false
  })
  return merge(own, owners.values)
}

interface OwnersFields {
  /** By name; none for one that is removed. */
  readonly values: Map<string, string[]>
  charsLeft: number
  linesLeft: number
}

function changeFields(
  owners: OwnersFields,
  block: HeaderBlock,
  captures: TemplateValues,
  isUnderBaseDomain: boolean,
): void {
  for (const change of block.changes) {
    if (!(isUnderBaseDomain && change.isForOwnDomain)) changeField(owners, change, captures)
  }
}

function changeField(
  owners: OwnersFields,
  { name, value: template }: HeaderChange,
  captures: TemplateValues,
): void {
  if (template === null) {
    owners.values.set(name, [])
    return
  }
  const charsMax = Math.min(headerValueCharsMax, owners.charsLeft - name.length - separatorChars)
  const value = charsMax < 0 ? null : fillTemplate(template, captures, charsMax)
  if (value === null) return
  if (isLikeNone(name, value)) owners.values.set(name, [])
  else addValue(owners, name, value)
}

/** Of a field that is needed: what captures made empty, or a media type that is not sent. */
const isLikeNone = (name: string, value: string): boolean =>
  needed.has(name) &&
  (value.trim() === '' || (name === 'content-type' && !claimsServedCharset(value)))

/** Of `Name: value`, and the end of its line. */
const separatorChars = ': \r\n'.length

function addValue(owners: OwnersFields, name: string, value: string): void {
  const combination = combinationOf(name)
  const earlier = owners.values.get(name) ?? []
  const lines = earlier.length === 0 || combination === 'separate' ? 1 : 0
  if (lines > owners.linesLeft) return
  owners.linesLeft -= lines
  owners.charsLeft -= name.length + value.length + separatorChars
  if (earlier.length === 0 || combination === 'later') owners.values.set(name, [value])
  else earlier.push(value)
}

function merge(
  own: Readonly<Record<string, string>>,
  owners: ReadonlyMap<string, readonly string[]>,
): HeaderList {
  const merged = Object.entries(own).flatMap(([name, value]) =>
    linesOf(name, valuesOf(name, value, owners.get(name))),
  )
  for (const [name, values] of owners) {
    if (!Object.hasOwn(own, name)) merged.push(...linesOf(name, values))
  }
  return merged
}

function valuesOf(
  name: string,
  ours: string,
  theirs: readonly string[] | undefined,
): readonly string[] {
  if (theirs === undefined) return [ours]
  if (added.has(name)) return [ours, ...theirs]
  return theirs.length === 0 && needed.has(name) ? [ours] : theirs
}

/** Ours stay true whatever the owner adds: they tell caches and search engines what we did. */
const added = new Set(['link', 'vary'])

/** Removed or empty, these are ours again: without them browsers guess, and name downloads themselves. */
const needed = new Set(['content-disposition', 'content-type'])

function linesOf(name: string, values: readonly string[]): HeaderList {
  if (values.length === 0) return []
  if (combinationOf(name) === 'separate') return values.map((value) => [name, value])
  return [[name, values.filter((value) => value !== '').join(', ')]]
}
