import type { RequestPath } from '#site/request-path.ts'

type Path = Extract<RequestPath, { ok: true }>

/** The path of a request as text, encoded anew and decoded: each when it is first wanted, and once for all who want parts of it. */
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

  /** Visible ASCII: these segments, a slash between each two. Takes as long for all of them as for one. */
  between(start: number, end: number): string {
    this.#encoded ??= textOf(this.segments.map(encodeURIComponent))
    const { text, starts } = this.#encoded
    return start < end ? text.slice(starts[start], (starts[end] ?? 0) - 1) : ''
  }

  get decoded(): PathText {
    this.#decoded ??= textOf(this.segments)
    return this.#decoded
  }

  /** The same as `between`, by places in the decoded text. */
  betweenPlaces(from: number, to: number): string {
    this.#encoded ??= textOf(this.segments.map(encodeURIComponent))
    this.#places ??= encodedPlaces(this.decoded.text)
    return this.#encoded.text.slice(this.#places[from], this.#places[to])
  }
}

interface PathText {
  /** A slash, and each segment with a slash after it. */
  readonly text: string
  /** Where each segment starts; last, where the text ends. */
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

/** Where each character of a decoded text is in the encoded one; last, where that ends. */
function encodedPlaces(text: string): readonly number[] {
  const places: number[] = []
  let place = 0
  for (const character of text) {
    for (let i = 0; i < character.length; i++) places.push(place)
    place += character === '/' ? 1 : encodeURIComponent(character).length
  }
  return [...places, place]
}
