import type { RequestPath } from '#site/request-path.ts'
import { matchGlob } from './glob.ts'
import { fitsPathPattern, type PathPattern } from './path-pattern.ts'
import type { TemplateValues } from './template.ts'

/** Percent-encoded captures, null if the path does not match. Each is computed when read, however long the path. */
export function matchPath(pattern: PathPattern, path: EncodedPath): TemplateValues | null {
  if (!fitsPathPattern(pattern, path)) return null
  const { glob, head, tail } = pattern
  if (glob === null) return { get: (name) => captured(pattern, path, name) }
  const tailAt = path.segments.length - (tail?.length ?? 0)
  const { text, starts } = path.decoded
  const star = matchGlob(glob, text, (starts[head.length] ?? 1) - 1, starts[tailAt] ?? text.length)
  if (star === null) return null
  const { text: end, sharesSlash } = glob.end
  const keepsSlash =
    keepsSlashOf(pattern, path) && end === '/' && sharesSlash && star.to > star.from
  const splatTo = keepsSlash ? star.to + 1 : star.to
  return {
    get: (name) =>
      name === 'splat' ? path.betweenPlaces(star.from, splatTo) : captured(pattern, path, name),
  }
}

function captured(pattern: PathPattern, path: EncodedPath, name: string): string | undefined {
  const { head, tail, names } = pattern
  const index = names.get(name)
  if (index === undefined) return undefined
  const tailAt = path.segments.length - (tail?.length ?? 0)
  if (index !== null) {
    const at = index < head.length ? index : tailAt + index - head.length
    return path.between(at, at + 1)
  }
  const splat = path.between(head.length, tailAt)
  return keepsSlashOf(pattern, path) && splat !== '' ? `${splat}/` : splat
}

/** A `*` at the end captures the trailing slash. */
const keepsSlashOf = ({ tail }: PathPattern, { trailingSlash }: EncodedPath): boolean =>
  trailingSlash && tail?.length === 0

type Path = Extract<RequestPath, { ok: true }>

/** The path of a request, encoded again and decoded: each computed once, on first use. */
export class EncodedPath implements Path {
  readonly ok = true
  readonly segments: readonly string[]
  readonly trailingSlash: boolean
  #encoded: PathText | null = null
  #decoded: PathText | null = null
  #places: readonly number[] | null = null

  constructor({ segments, trailingSlash }: Path) {
    this.segments = segments
    this.trailingSlash = trailingSlash
  }

  /** Visible ASCII: these segments, joined by slashes. The first call encodes the whole path. */
  between(start: number, end: number): string {
    this.#encoded ??= textOf(this.segments.map(encodeURIComponent))
    const { text, starts } = this.#encoded
    return start < end ? text.slice(starts[start], (starts[end] ?? 0) - 1) : ''
  }

  get decoded(): PathText {
    this.#decoded ??= textOf(this.segments)
    return this.#decoded
  }

  /** As `between`, by positions in the decoded string. */
  betweenPlaces(from: number, to: number): string {
    this.#encoded ??= textOf(this.segments.map(encodeURIComponent))
    this.#places ??= encodedPlaces(this.decoded.text)
    return this.#encoded.text.slice(this.#places[from], this.#places[to])
  }
}

interface PathText {
  /** A slash, then each segment followed by a slash. */
  readonly text: string
  /** Where each segment starts, then the end of the string. */
  readonly starts: readonly number[]
}

function textOf(segments: readonly string[]): PathText {
  let text = '/'
  const starts = [1]
  for (const segment of segments) {
    text += `${segment}/`
    starts.push(text.length)
  }
  return { text, starts }
}

/** The position of each decoded character in the encoded string, then its end. */
function encodedPlaces(text: string): readonly number[] {
  const places: number[] = []
  let place = 0
  for (const character of text) {
    for (let i = 0; i < character.length; i++) places.push(place)
    place += character === '/' ? 1 : encodeURIComponent(character).length
  }
  return [...places, place]
}
