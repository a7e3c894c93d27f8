import { compileNeedle, indexOfNeedle, type Needle } from './knuth-morris-pratt.ts'

/** Text in which each `*` stands for any characters, cut at the stars. */
export interface Glob {
  readonly start: string
  readonly middle: readonly (Omit<GlobPiece, 'text'> & { readonly needle: Needle })[]
  readonly end: GlobPiece
}

interface GlobPiece {
  /** Never empty. */
  readonly text: string
  /** Whether the star before it stands for whole segments: for none, the slashes on both its sides are one. */
  readonly sharesSlash: boolean
}

/** Where what the last star stands for begins and ends in the text. */
export interface LastStar {
  readonly from: number
  readonly to: number
}

/**
 * Reads percent-encoded segments, the first and the last of which hold stars. A star that is a whole segment
 * stands for any number of segments, as in a path pattern; one inside a segment for any characters, slashes too.
 */
export function compileGlob(segments: readonly string[]): Glob {
  const pieces: GlobPiece[] = []
  let text = '/'
  let sharesSlash = false
  const endPiece = (next: string, isWholeSegment: boolean): void => {
    // A slash between two stars that may be that of the first is none to look for.
    const isBetween = text === '/' && sharesSlash
    if (!isBetween) pieces.push({ text, sharesSlash })
    text = next
    sharesSlash = isWholeSegment
  }
  for (const segment of segments) {
    if (isStar(segment)) {
      endPiece('/', true)
      continue
    }
    const [first = '', ...rest] = segment.split(/\*+/).map(decodeURIComponent)
    text += first
    for (const part of rest) endPiece(part, false)
    text += '/'
  }
  const [{ text: start } = { text: '' }, ...middle] = pieces
  return { start, middle: middle.map(toSearched), end: { text, sharesSlash } }
}

const toSearched = ({ text, sharesSlash }: GlobPiece) => ({
  needle: compileNeedle(text),
  sharesSlash,
})

export const isStar = (segment: string): boolean => /^\*+$/.test(segment)

/**
 * Compares a part of a text: decoded segments, a slash before each and after the last. Null if it does not fit.
 * Each star but the last stands for as little as it can, so that no search starts over: linear in the text.
 */
export function matchGlob(glob: Glob, text: string, from: number, to: number): LastStar | null {
  if (!text.startsWith(glob.start, from)) return null
  let at = from + glob.start.length
  for (const { needle, sharesSlash } of glob.middle) {
    const found = indexOfNeedle(needle, text, sharesSlash ? at - 1 : at)
    if (found === -1) return null
    at = found + needle.text.length
  }
  const { text: end, sharesSlash } = glob.end
  const endsAt = to - end.length
  if (endsAt < (sharesSlash ? at - 1 : at) || !text.endsWith(end, to)) return null
  return { from: at, to: Math.max(at, endsAt) }
}
