import { combinationOf, type HeaderList } from '#http/header-fields.ts'
import { claimsServedCharset } from '#http/media-type.ts'
import { answerHeaderCharsMax, headerFieldsMax, headerValueCharsMax } from '#site/limits.ts'
import { isForCertificates, parseRequestPath } from '#site/request-path.ts'
import { EncodedPath, matchPath } from './encoded-path.ts'
import type { HeaderChange, PlacedChange } from './header-block.ts'
import type { HeaderRules } from './header-rules.ts'
import { visitRules } from './rule-index.ts'
import { fillTemplate, type TemplateValues } from './template.ts'

export interface HeaderPlace {
  /** Canonical: lower case, no port, no trailing dot. */
  readonly host: string
  /** Percent-encoded. */
  readonly pathname: string
  /** Whether the host shares its domain with other owners' sites, so that headers for the whole domain are not sent. */
  readonly isUnderBaseDomain: boolean
}

/**
 * Applies the owner's rules to the service's response headers, keyed by lower-case name. Drops what the owner adds
 * beyond 16 KiB or 64 lines, and values that are too long after substitution. Time: linear in the rules; the path is
 * scanned once.
 */
export function applyHeaderRules(
  rules: HeaderRules,
  place: HeaderPlace,
  own: Readonly<Record<string, string>>,
): HeaderList {
  if (rules.isEmpty) return Object.entries(own)
  const owners: OwnersFields = {
    values: new Map(),
    charsLeft: answerHeaderCharsMax,
    linesLeft: headerFieldsMax,
  }
  visitHeaderChanges(rules, place, (change, captures) => changeField(owners, change, captures))
  return merge(own, owners.values)
}

/** Calls `visit` with each change that the owner's rules make at this address, in their order. */
export function visitHeaderChanges(
  rules: HeaderRules,
  { host, isUnderBaseDomain, pathname }: HeaderPlace,
  visit: (change: PlacedChange, captures: TemplateValues) => void,
): void {
  const path = rules.isEmpty ? null : parseRequestPath(pathname)
  if (path === null || !path.ok || isForCertificates(path.segments)) return
  const asked = new EncodedPath(path)
  visitRules(rules.blocks, path.segments, (block) => {
    const isForHost = block.host === null || block.host === host
    const captures = isForHost ? matchPath(block.pattern, asked) : null
    if (captures === null) return false
    for (const change of block.changes) {
      if (!(isUnderBaseDomain && change.isForOwnDomain)) visit(change, captures)
    }
    return false
  })
}

interface OwnersFields {
  /** By name; an empty list for a removed header. */
  readonly values: Map<string, string[]>
  charsLeft: number
  linesLeft: number
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
  if (isUnusable(name, value)) owners.values.set(name, [])
  else addValue(owners, name, value)
}

/** Whether a needed header has no usable value: empty after substitution, or a media type that is not sent. */
const isUnusable = (name: string, value: string): boolean =>
  needed.has(name) &&
  (value.trim() === '' || (name === 'content-type' && !claimsServedCharset(value)))

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

/** Our values stay, whatever the owner adds: they tell caches and search engines what we did. */
const added = new Set(['link', 'vary'])

/** If the owner removes or empties one of these, the default is sent: browsers would guess types and names of downloads. */
const needed = new Set(['content-disposition', 'content-type'])

function linesOf(name: string, values: readonly string[]): HeaderList {
  if (values.length === 0) return []
  if (combinationOf(name) === 'separate') return values.map((value) => [name, value])
  return [[name, values.filter((value) => value !== '').join(', ')]]
}
