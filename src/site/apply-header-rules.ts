import type { HeaderBlock, HeaderChange } from './header-block.ts'
import { combinationOf } from './header-fields.ts'
import type { HeaderRules } from './header-rules.ts'
import { answerHeaderCharsMax, headerValueCharsMax } from './limits.ts'
import { type Captures, encodeCapture } from './path-pattern.ts'
import { isForCertificates, parseRequestPath } from './request-path.ts'
import { fillTemplate } from './template.ts'

/** For which answer headers are wanted: nothing else of a request counts. */
export interface HeaderPlace {
  /** Canonical: lower case, no port, no trailing dot. */
  readonly host: string
  /** As it was sent, percent-encoded. */
  readonly pathname: string
  /** Whether others' sites share the host's domain, so that nothing may be said about all of it. */
  readonly isUnderBaseDomain: boolean
}

/** Names are lower case and come once, `set-cookie` excepted; values are visible ASCII and spaces. */
export type HeaderList = (readonly [name: string, value: string])[]

/**
 * Our own headers of an answer, by lower-case names, as the owner's rules change them. What the owner adds
 * beyond 16 KiB, and a value that captures make longer than one may be, is left out.
 */
export function applyHeaderRules(
  rules: HeaderRules,
  place: HeaderPlace,
  own: Readonly<Record<string, string>>,
): HeaderList {
  const path = rules.isEmpty ? null : parseRequestPath(place.pathname)
  if (path === null || !path.ok || isForCertificates(path.segments)) return Object.entries(own)
  const owners: OwnersFields = { values: new Map(), charsLeft: answerHeaderCharsMax }
  for (const block of rules.blocks) {
    const captures = block.host === null || block.host === place.host ? block.match(path) : null
    if (captures !== null) changeFields(owners, block, captures, place.isUnderBaseDomain)
  }
  return merge(own, owners.values)
}

interface OwnersFields {
  /** By name; none for one that is removed. */
  readonly values: Map<string, string[]>
  charsLeft: number
}

function changeFields(
  owners: OwnersFields,
  block: HeaderBlock,
  captures: Captures,
  isUnderBaseDomain: boolean,
): void {
  const encoded = new Map(Array.from(captures, ([name, text]) => [name, encodeCapture(text)]))
  for (const change of block.changes) {
    if (!(isUnderBaseDomain && change.isForOwnDomain)) changeField(owners, change, encoded)
  }
}

function changeField(
  owners: OwnersFields,
  { name, value: template }: HeaderChange,
  encoded: Captures,
): void {
  if (template === null) {
    owners.values.set(name, [])
    return
  }
  const value = fillTemplate(template, encoded, headerValueCharsMax)
  const chars = name.length + (value?.length ?? 0)
  if (value === null || chars > owners.charsLeft) return
  owners.charsLeft -= chars
  const earlier = combinationOf(name) === 'later' ? undefined : owners.values.get(name)
  if (earlier === undefined) owners.values.set(name, [value])
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

/** Removing one of these brings back ours: without them browsers guess, and name downloads themselves. */
const needed = new Set(['content-disposition', 'content-type'])

function linesOf(name: string, values: readonly string[]): HeaderList {
  if (values.length === 0) return []
  if (combinationOf(name) === 'separate') return values.map((value) => [name, value])
  return [[name, values.filter((value) => value !== '').join(', ')]]
}
