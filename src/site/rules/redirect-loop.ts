import { parseWebAddress } from '#http/web-address.ts'
import { parseRequestPath, type RequestPath } from '#site/request-path.ts'
import { fitsPathPattern, type PathPattern } from './path-pattern.ts'
import { type QueryCondition, queryHolds } from './redirect-query.ts'
import { type Destination, fillTarget, type RedirectTarget } from './redirect-target.ts'

/** Where a visitor is. */
export interface Here {
  readonly host: string
  readonly path: Path
  /** With its question mark, or empty. */
  readonly search: string
}

type Path = Extract<RequestPath, { ok: true }>

/** The parts of a redirecting rule that say where it applies, and where it can lead. */
interface LoopingRule {
  readonly from: PathPattern
  readonly query: readonly QueryCondition[]
  readonly target: RedirectTarget
}

/**
 * Whether a rule would send a visitor to where they are, but for a slash at the end, or ever deeper: at
 * `/en/x` a rule `/* /en/:splat` has done all it can. It has not where it asks for a key that it takes away.
 */
export function isLoop(rule: LoopingRule, destination: Destination, here: Here): boolean {
  return loopOf(rule, destination, here) !== null
}

/**
 * A sentence about a rule that could only lead to itself, whatever its names stand for; else null. Tried with
 * values that no target has by chance. A rewrite is not followed by another, and its query does not count.
 */
export function describeSelfReference(
  rule: LoopingRule & { readonly host: string | null; readonly isRewrite: boolean },
): string | null {
  const { from, query, target, isRewrite } = rule
  const values = new Map([...from.names].map((name) => [name, encodeURIComponent(sample(name))]))
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

function loopOf(
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

function samplePath({ head, tail }: PathPattern): Path {
  const splat = tail === null ? [] : [{ kind: 'name', name: 'splat' } as const, ...tail]
  const segments = [...head, ...splat].map((segment) =>
    segment.kind === 'name' ? sample(segment.name) : segment.text,
  )
  return { ok: true, segments, trailingSlash: false }
}

const sample = (name: string): string => `${name}\u{10FFFF}`
