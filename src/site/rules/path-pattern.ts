import { parseRequestPath, type RequestPath } from '#site/request-path.ts'
import { compileGlob, type Glob, isStar } from './glob.ts'

/** Literal segments, `:name` for any one segment, and any number of segments between head and tail. */
export interface PathPattern {
  /** Segments before the first `*`; all if there is none. */
  readonly head: readonly PatternSegment[]
  /** Segments after the last `*`; null if there is none. */
  readonly tail: readonly PatternSegment[] | null
  /** Names of captures; the last `*` is called `splat`. */
  readonly names: ReadonlySet<string>
}

export type PatternSegment =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'name'; readonly name: string }

export type PathPatternResult =
  | {
      readonly ok: true
      readonly pattern: PathPattern
      /** A warning about text that is taken literally but looks like a pattern. */
      readonly problem: string | null
    }
  | { readonly ok: false; readonly problem: string }

export type GlobPatternResult =
  | (Extract<PathPatternResult, { ok: true }> & { readonly glob: Glob | null })
  | Extract<PathPatternResult, { ok: false }>

/** Decoded strings by name; that of a `*` may contain slashes. */
export type Captures = ReadonlyMap<string, string>

/**
 * Parses a percent-encoded path in which `*` and `:name` match segments. Repeated slashes count as one; a trailing
 * slash is ignored. Linear; never throws.
 */
export function compilePathPattern(path: string): PathPatternResult {
  const raw = readSegments(path)
  if (raw === null) return { ok: false, problem: notAPath }
  const problem = describeStars(raw) ?? describeTwins(raw)
  if (problem !== null) return { ok: false, problem }
  const star = raw.indexOf('*')
  return {
    ok: true,
    pattern: frameOf(raw, star, star),
    problem: describePartialNames(raw),
  }
}

/**
 * The same with `*` anywhere, also inside a segment and repeatedly: `glob` then matches the segments between head
 * and tail. Null: any segments match.
 */
export function compileGlobPattern(path: string): GlobPatternResult {
  const raw = readSegments(path)
  if (raw === null) return { ok: false, problem: notAPath }
  const first = raw.findIndex(hasStar)
  const last = raw.findLastIndex(hasStar)
  const starred = first === -1 ? [] : raw.slice(first, last + 1)
  const once = raw.filter((segment) => !isStar(segment)).concat(starred.length === 0 ? [] : '*')
  const problem = describeTwins(once) ?? describeLost(starred)
  if (problem !== null) return { ok: false, problem }
  return {
    ok: true,
    pattern: frameOf(raw, first, last),
    glob: starred.every(isStar) ? null : compileGlob(starred),
    problem: describePartialNames(raw),
  }
}

/** Linear in the pattern, however long the path. */
export function fitsPathPattern(
  { head, tail }: PathPattern,
  { segments }: Extract<RequestPath, { ok: true }>,
): boolean {
  const tailAt = segments.length - (tail?.length ?? 0)
  if (tail === null ? segments.length !== head.length : tailAt < head.length) return false
  return fits(head, segments, 0) && (tail === null || fits(tail, segments, tailAt))
}

/** The captures of the path, null if it does not match. Linear in the path. */
export function matchPathPattern(
  pattern: PathPattern,
  path: Extract<RequestPath, { ok: true }>,
): Captures | null {
  if (!fitsPathPattern(pattern, path)) return null
  const { head, tail, names } = pattern
  if (names.size === 0) return noCaptures

  const { segments, trailingSlash } = path
  const tailAt = segments.length - (tail?.length ?? 0)
  const captures = new Map<string, string>()
  capture(head, segments, 0, captures)
  if (tail === null) return captures
  capture(tail, segments, tailAt, captures)
  const splat = segments.slice(head.length, tailAt).join('/')
  // A `*` at the end captures the trailing slash.
  const keepsSlash = trailingSlash && tail.length === 0 && splat !== ''
  return captures.set('splat', keepsSlash ? `${splat}/` : splat)
}

/** Encodes a capture for a URL: visible ASCII, slashes kept. */
export function encodeCapture(text: string): string {
  return text.split('/').map(encodeURIComponent).join('/')
}

const noCaptures: Captures = new Map()

const wholeName = /^:([A-Za-z_]\w*)$/

const nameOf = (segment: string): string | undefined =>
  segment === '*' ? 'splat' : wholeName.exec(segment)?.[1]

/** Splits before decoding: `%2A` is a literal star, `%3Aid` a literal `:id`. Null for a path that no request can have. */
function readSegments(path: string): string[] | null {
  return parseRequestPath(path).ok ? path.split('/').filter((segment) => segment !== '') : null
}

const notAPath = 'is not a path that can be asked for'

const hasStar = (segment: string): boolean => segment.includes('*')

/** The segments before the first star and after the last one. */
function frameOf(raw: readonly string[], first: number, last: number): PathPattern {
  return {
    head: (first === -1 ? raw : raw.slice(0, first)).map(readSegment),
    tail: first === -1 ? null : raw.slice(last + 1).map(readSegment),
    names: new Set([...capturedNames(raw), ...(first === -1 ? [] : ['splat'])]),
  }
}

function capturedNames(raw: readonly string[]): string[] {
  return raw.map(nameOf).filter((name) => name !== undefined)
}

function describeStars(raw: readonly string[]): string | null {
  if (raw.some((segment) => segment !== '*' && segment.includes('*'))) {
    return 'has a * inside a segment; it can only stand for whole ones'
  }
  return raw.filter((segment) => segment === '*').length > 1 ? 'has more than one *' : null
}

/** Names between two stars are not supported: each segment would have to be tried. */
function describeLost(starred: readonly string[]): string | null {
  const lost = starred.find((segment) => wholeName.test(segment))
  return lost === undefined ? null : `has ${lost} between two *; a name goes before or after them`
}

function describeTwins(raw: readonly string[]): string | null {
  const seen = new Set<string>()
  for (const name of capturedNames(raw)) {
    if (seen.has(name)) return `has :${name} more than once`
    seen.add(name)
  }
  return null
}

function describePartialNames(raw: readonly string[]): string | null {
  const partial = raw.find((segment) => !wholeName.test(segment) && /:[A-Za-z_]/.test(segment))
  return partial === undefined ? null : `takes ${partial} literally: a name is a whole segment`
}

function readSegment(raw: string): PatternSegment {
  const name = nameOf(raw)
  return name === undefined
    ? { kind: 'literal', text: decodeURIComponent(raw) }
    : { kind: 'name', name }
}

function fits(wanted: readonly PatternSegment[], segments: readonly string[], at: number): boolean {
  // Backwards: rules with the same start differ at their ends. A loop, because a request may be compared with a thousand rules.
  for (let i = wanted.length - 1; i >= 0; i--) {
    const segment = wanted[i]
    if (segment?.kind === 'literal' && segment.text !== segments[at + i]) return false
  }
  return true
}

function capture(
  wanted: readonly PatternSegment[],
  segments: readonly string[],
  at: number,
  captures: Map<string, string>,
): void {
  for (const [i, segment] of wanted.entries()) {
    if (segment.kind === 'name') captures.set(segment.name, segments[at + i] ?? '')
  }
}
