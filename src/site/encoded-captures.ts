import type { EncodedPath } from './encoded-path.ts'
import type { LastStar } from './glob.ts'
import type { PathPattern } from './path-pattern.ts'
import type { TemplateValues } from './template.ts'

/** Where the names of a pattern are, as indexes of its segments: those of `head`, then those of `tail`. */
export interface CapturePlaces {
  readonly names: ReadonlyMap<string, number>
  readonly headLength: number
  /** Null without a `*`. */
  readonly tailLength: number | null
}

export function capturePlaces({ head, tail }: PathPattern): CapturePlaces {
  const names = new Map<string, number>()
  for (const [index, segment] of [...head, ...(tail ?? [])].entries()) {
    if (segment.kind === 'name') names.set(segment.name, index)
  }
  return { names, headLength: head.length, tailLength: tail?.length ?? null }
}

/**
 * What a path that fits the pattern gives to its names, as `matchPathPattern` says, percent-encoded; `star` is where
 * what the last `*` stands for is in the decoded text, null when it is all between head and tail. Costs nothing for names that nobody asks
 * for, and for the others no more the longer the path is.
 */
export function encodedCaptures(
  places: CapturePlaces,
  path: EncodedPath,
  star: LastStar | null,
): TemplateValues {
  return {
    get: (name) =>
      name === 'splat' && star !== null
        ? path.betweenPlaces(star.from, star.to)
        : captured(places, path, name),
  }
}

function captured(
  { names, headLength, tailLength }: CapturePlaces,
  path: EncodedPath,
  name: string,
): string | undefined {
  const count = path.segments.length
  const index = names.get(name)
  if (index !== undefined) {
    const at = index < headLength ? index : index + count - headLength - (tailLength ?? 0)
    return path.between(at, at + 1)
  }
  if (name !== 'splat' || tailLength === null) return undefined
  const splat = path.between(headLength, count - tailLength)
  // The slash at the end is part of what a `*` at the end stands for.
  return path.trailingSlash && tailLength === 0 && splat !== '' ? `${splat}/` : splat
}
