import { visibleAscii } from '#http/visible-ascii.ts'
import { isWebAddress, parseWebAddress } from '#http/web-address.ts'
import { locationCharsMax } from '#site/limits.ts'
import { parseRequestPath, type RequestPath } from '#site/request-path.ts'
import { compilePathPattern, fitsPathPattern, type PathPattern } from './path-pattern.ts'
import { type QueryCondition, queryHolds } from './redirect-conditions.ts'
import {
  fillTemplate,
  type KnownNames,
  parseTemplate,
  type Template,
  type TemplateValues,
  unknownName,
} from './template.ts'

export interface RedirectTarget {
  /** `https://example.org`; null for a path of the site itself. */
  readonly origin: string | null
  readonly path: Template
  /** With its question mark; null if absent: the request's query is passed on. */
  readonly query: Template | null
  /** With its `#`, or empty. */
  readonly fragment: Template
  /** Matches all paths it can produce, if it has `:splat` and a literal segment; else null. */
  readonly range: PathPattern | null
}

/** A target with values filled in, all visible ASCII. */
interface Destination {
  readonly origin: string | null
  /** Begins with a slash; on the site itself without double slashes. */
  readonly pathname: string
  readonly search: string
  readonly fragment: string
}

/** A path or an http(s) address with placeholders `:name`; a sentence for anything else and for unknown names. */
export function parseRedirectTarget(text: string, names: KnownNames): RedirectTarget | string {
  const address = isWebAddress(text) ? parseWebAddress(text) : null
  // No `:name` as a host or a port, so that a visitor cannot choose where we redirect.
  if (address === null && !text.startsWith('/')) return 'is neither a path nor an address'

  const rest = address === null ? text : address.rest
  const [, path = '', query, fragment = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(rest) ?? []
  const target = {
    origin: address?.origin ?? null,
    path: parseTemplate(encode(path.startsWith('/') ? path : `/${path}`), names),
    query: query === undefined ? null : parseTemplate(encode(query), names),
    fragment: parseTemplate(encode(fragment), names),
    range: rangeOf(path),
  }
  const unknown = unknownName(wholeOf(target), names)
  return unknown === null ? target : `has :${unknown}, which nothing captures; %3A is a colon`
}

export function hasTextLikeNames(target: RedirectTarget): boolean {
  return wholeOf(target).some((part) => typeof part === 'string' && /:[A-Za-z_]/.test(part))
}

/** `values` are percent-encoded, `search` is the request's. Null if too long for a header. */
export function fillTarget(
  target: RedirectTarget,
  values: TemplateValues,
  search: string,
): Destination | null {
  const path = fillTemplate(target.path, values, locationCharsMax)
  const query =
    target.query === null ? search : fillTemplate(target.query, values, locationCharsMax)
  const fragment = fillTemplate(target.fragment, values, locationCharsMax)
  if (path === null || query === null || fragment === null) return null
  const destination = {
    origin: target.origin,
    // A leading double slash would be another host; elsewhere it counts as one.
    pathname: target.origin === null ? path.replace(/\/{2,}/g, '/') : path,
    search: query === '?' ? '' : visibleAscii(query),
    fragment,
  }
  return addressOf(destination).length > locationCharsMax ? null : destination
}

export function addressOf({ origin, pathname, search, fragment }: Destination): string {
  return `${origin ?? ''}${pathname}${search}${fragment}`
}

function rangeOf(path: string): PathPattern | null {
  const compiled = compilePathPattern(path.replace(/\/:splat(?=\/|$)/g, '/*'))
  if (!compiled.ok || compiled.pattern.tail === null) return null
  const { head, tail } = compiled.pattern
  return [...head, ...tail].some((segment) => segment !== null) ? compiled.pattern : null
}

function wholeOf({ path, query, fragment }: RedirectTarget): Template {
  return [...path, ...(query ?? []), ...fragment]
}

/** Encodes to visible ASCII. Encodes backslashes, because browsers treat them as slashes. */
function encode(text: string): string {
  return visibleAscii(text).replace(/["<>\\^`{|}]|%(?![0-9A-Fa-f]{2})/g, encodeURIComponent)
}

export interface Here {
  readonly host: string
  readonly path: Path
  /** With its question mark, or empty. */
  readonly search: string
}

type Path = Extract<RequestPath, { ok: true }>

interface LoopingRule {
  readonly from: PathPattern
  readonly query: readonly QueryCondition[]
  readonly target: RedirectTarget
}

/** A sentence, tried with unlikely values; null if the rule does not always redirect to itself. Rewrites do not chain. */
export function describeSelfReference(
  rule: LoopingRule & { readonly host: string | null; readonly isRewrite: boolean },
): string | null {
  const { from, query, target, isRewrite } = rule
  const names = [...from.names.keys()]
  const values = new Map(names.map((name) => [name, encodeURIComponent(sample(name))]))
  const asked = new URLSearchParams([[sample('extra'), '']])
  for (const { key, value, name } of query) {
    const sampled = value ?? sample(`?${key}`)
    asked.set(key, sampled)
    if (name !== null) values.set(name, encodeURIComponent(sampled))
  }
  const search = `?${asked}`
  const destination = fillTarget(target, values, search)
  if (destination === null) return null

  const here = { host: rule.host ?? '', path: samplePath(from), search }
  const there = isRewrite ? { ...destination, search } : destination
  switch (loopOf(rule, there, here)) {
    case 'here':
      return 'leads to itself'
    case 'deeper':
      return isRewrite ? null : 'leads to itself again and again'
    case null:
      return null
  }
}

/**
 * Whether a rule would redirect to the same address, a trailing slash aside, or ever deeper: at `/en/x`
 * a rule `/* /en/:splat` has already been applied. Not if it requires a query key that its target drops.
 */
export function loopOf(
  { from, query, target: { range } }: LoopingRule,
  { origin, pathname, search }: Destination,
  here: Here,
): 'here' | 'deeper' | null {
  if (origin !== null && parseWebAddress(origin)?.host !== here.host) return null
  const there = parseRequestPath(pathname)
  if (!there.ok) return null
  if (search === here.search && isSamePath(there, here.path)) return 'here'
  const isShorter = there.segments.length < here.path.segments.length
  return range !== null &&
    !isShorter &&
    fitsPathPattern(range, here.path) &&
    fitsPathPattern(from, there) &&
    (query.length === 0 || queryHolds(query, new Map(new URLSearchParams(search))))
    ? 'deeper'
    : null
}

const isSamePath = (there: Path, here: Path): boolean =>
  there.segments.length === here.segments.length &&
  there.segments.every((segment, i) => segment === here.segments[i])

function samplePath({ head, tail, names }: PathPattern): Path {
  const segments = [...head, ...(tail ?? [])].map((segment) => segment ?? '')
  for (const [name, index] of names) if (index !== null) segments[index] = sample(name)
  if (tail !== null) segments.splice(head.length, 0, sample('splat'))
  return { ok: true, segments, trailingSlash: false }
}

const sample = (name: string): string => `${name}\u{10FFFF}`
