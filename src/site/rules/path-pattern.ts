import { parseRequestPath, type RequestPath } from '#site/request-path.ts'
import { compileGlob, type Glob, isStar } from './glob.ts'

/** Literal segments, `:name` for any one segment, and any number of segments between head and tail. */
export interface PathPattern {
  /** Segments before the first `*`, all if there is none. Null for a `:name`. */
  readonly head: readonly (string | null)[]
  /** Segments after the last `*`; null if there is none. */
  readonly tail: readonly (string | null)[] | null
  /** Matches what is between head and tail; null: any segments match. */
  readonly glob: Glob | null
  /** Names of captures with the index of each in head and tail; the last `*` is called `splat`, without an index. */
  readonly names: ReadonlyMap<string, number | null>
}

export type PathPatternResult =
  | {
      readonly ok: true
      readonly pattern: PathPattern
      /** A warning about text that is taken literally but looks like a pattern. */
      readonly problem: string | null
    }
  | { readonly ok: false; readonly problem: string }

/** One `*` and any `:name` match segments. Repeated slashes count as one, a trailing one not. Linear; never throws. */
export const compilePathPattern = (path: string): PathPatternResult => compile(path, describeStars)

/** The same with `*` anywhere, also inside a segment and repeatedly. */
export const compileGlobPattern = (path: string): PathPatternResult => compile(path, () => null)

function compile(
  path: string,
  describeStars: (raw: readonly string[]) => string | null,
): PathPatternResult {
  const raw = readSegments(path)
  if (raw === null) return { ok: false, problem: 'is not a path that a request can have' }
  const first = raw.findIndex(hasStar)
  const last = raw.findLastIndex(hasStar)
  const starred = first === -1 ? [] : raw.slice(first, last + 1)
  const once = raw.filter((segment) => !isStar(segment)).concat(starred.length === 0 ? [] : '*')
  const problem = describeStars(raw) ?? describeTwins(once) ?? describeLost(starred)
  if (problem !== null) return { ok: false, problem }
  const head = first === -1 ? raw : raw.slice(0, first)
  const tail = first === -1 ? null : raw.slice(last + 1)
  return {
    ok: true,
    pattern: {
      head: head.map(readSegment),
      tail: tail?.map(readSegment) ?? null,
      glob: starred.every(isStar) ? null : compileGlob(starred),
      names: namesOf(head, tail),
    },
    problem: describePartialNames(raw),
  }
}

/** Whether head and tail match. Linear in the pattern, however long the path. */
export function fitsPathPattern(
  { head, tail }: PathPattern,
  { segments }: Extract<RequestPath, { ok: true }>,
): boolean {
  const tailAt = segments.length - (tail?.length ?? 0)
  if (tail === null ? segments.length !== head.length : tailAt < head.length) return false
  return fits(head, segments, 0) && (tail === null || fits(tail, segments, tailAt))
}

const wholeName = /^:([A-Za-z_]\w*)$/

const nameOf = (segment: string): string | undefined =>
  segment === '*' ? 'splat' : wholeName.exec(segment)?.[1]

/** Splits before decoding: `%2A` is a literal star, `%3Aid` a literal `:id`. Null for a path that no request can have. */
function readSegments(path: string): string[] | null {
  return parseRequestPath(path).ok ? path.split('/').filter((segment) => segment !== '') : null
}

const hasStar = (segment: string): boolean => segment.includes('*')

function namesOf(head: readonly string[], tail: readonly string[] | null): PathPattern['names'] {
  const names = new Map<string, number | null>(tail === null ? [] : [['splat', null]])
  for (const [index, segment] of [...head, ...(tail ?? [])].entries()) {
    const name = nameOf(segment)
    if (name !== undefined) names.set(name, index)
  }
  return names
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
  for (const name of raw.map(nameOf)) {
    if (name === undefined) continue
    if (seen.has(name)) return `has :${name} more than once`
    seen.add(name)
  }
  return null
}

function describePartialNames(raw: readonly string[]): string | null {
  const partial = raw.find((segment) => !wholeName.test(segment) && /:[A-Za-z_]/.test(segment))
  return partial === undefined ? null : `takes ${partial} literally: a name is a whole segment`
}

const readSegment = (raw: string): string | null =>
  nameOf(raw) === undefined ? decodeURIComponent(raw) : null

function fits(wanted: PathPattern['head'], segments: readonly string[], at: number): boolean {
  // Backwards: rules with the same start differ at their ends. A loop, because a request may be compared with a thousand rules.
  for (let i = wanted.length - 1; i >= 0; i--) {
    const segment = wanted[i]
    if (segment !== null && segment !== segments[at + i]) return false
  }
  return true
}
