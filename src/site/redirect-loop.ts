import { fitsPathPattern, type PathPattern } from './path-pattern.ts'
import type { Destination } from './redirect-target.ts'
import { parseRequestPath, type RequestPath } from './request-path.ts'
import { parseWebAddress } from './web-address.ts'

/** Where a visitor is. */
export interface Here {
  readonly host: string
  readonly path: Path
  /** With its question mark, or empty. */
  readonly search: string
}

type Path = Extract<RequestPath, { ok: true }>

/**
 * Whether a rule would send a visitor to where they are, but for a slash at the end, or ever deeper: at
 * `/en/x` a rule `/* /en/:splat` has done all it can. `range` is where its destinations are.
 */
export function isLoop(
  { from, range }: { readonly from: PathPattern; readonly range: PathPattern | null },
  { origin, pathname, search }: Destination,
  here: Here,
): boolean {
  if (origin !== null && parseWebAddress(origin)?.host !== here.host) return false
  const there = parseRequestPath(pathname)
  if (!there.ok) return false
  if (search === here.search && isSamePath(there, here.path)) return true
  const isShorter = there.segments.length < here.path.segments.length
  return (
    range !== null &&
    !isShorter &&
    fitsPathPattern(range, here.path) &&
    fitsPathPattern(from, there)
  )
}

const isSamePath = (there: Path, here: Path): boolean =>
  there.segments.length === here.segments.length &&
  there.segments.every((segment, i) => segment === here.segments[i])
