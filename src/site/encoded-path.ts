import type { RequestPath } from './request-path.ts'

type Path = Extract<RequestPath, { ok: true }>

/** The path of a request, percent-encoded anew when it is first wanted, and once for whoever wants parts of it. */
export class EncodedPath implements Path {
  readonly ok = true
  readonly segments: readonly string[]
  readonly trailingSlash: boolean
  #encoded: { readonly text: string; readonly starts: readonly number[] } | null = null

  constructor({ segments, trailingSlash }: Path) {
    this.segments = segments
    this.trailingSlash = trailingSlash
  }

  /** Visible ASCII: these segments, a slash between each two. Takes as long for all of them as for one. */
  between(start: number, end: number): string {
    this.#encoded ??= encode(this.segments)
    const { text, starts } = this.#encoded
    return start < end ? text.slice(starts[start], (starts[end] ?? 0) - 1) : ''
  }
}

/** Each segment with a slash after it, and where each starts; last, where the text ends. */
function encode(segments: readonly string[]): { text: string; starts: number[] } {
  let text = ''
  const starts = [0]
  for (const segment of segments) {
    text += `${encodeURIComponent(segment)}/`
    starts.push(text.length)
  }
  return { text, starts }
}
