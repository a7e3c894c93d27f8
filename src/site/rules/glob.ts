import { headerSearchesMax } from '#site/limits.ts'

/** A pattern in which each `*` matches any characters, split at the stars. */
export interface Glob {
  readonly start: string
  readonly middle: readonly (Omit<GlobPiece, 'text'> & { readonly needle: Needle })[]
  readonly end: GlobPiece
}

interface GlobPiece {
  /** Never empty. */
  readonly text: string
  /** Whether the preceding star matches whole segments: if it matches none, the slashes on both its sides are one. */
  readonly sharesSlash: boolean
}

interface LastStar {
  readonly from: number
  readonly to: number
}

/**
 * Compiles percent-encoded segments, the first and last of which contain stars. A star that is a whole
 * segment matches any number of segments, as in a path pattern; others match any characters, slashes included.
 */
export function compileGlob(segments: readonly string[]): Glob {
  const pieces: GlobPiece[] = []
  let text = '/'
  let sharesSlash = false
  const endPiece = (next: string, isWholeSegment: boolean): void => {
    // A slash between two stars that the first may already match is not searched for.
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
 * Matches part of a string of decoded segments, a slash before each and after the last. Null if it does not match.
 * All stars but the last match as little as possible, so that no search restarts: linear in the string.
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

/** The searches shared by all paths of a site's headers, in its settings and its `_headers`. */
export class SearchBudget {
  #left = headerSearchesMax

  /** The problem of a path that needs more searches than are left, which is not used; null if it fits. */
  spend(searches: number): string | null {
    if (searches > this.#left) return tooManySearches
    this.#left -= searches
    return null
  }
}

const tooManySearches = `more than ${headerSearchesMax} strings between two * in this path and those before; this path is not used`

/** A search string prepared as by Knuth, Morris and Pratt: `String.indexOf` may compare all of it at every position. */
interface Needle {
  readonly text: string
  /** By the number of matched units: how many still match when the next unit differs. */
  readonly borders: Uint16Array
}

/** Linear in `text`, which must be shorter than 65536 units. */
export function compileNeedle(text: string): Needle {
  const borders = new Uint16Array(text.length + 1)
  let border = 0
  for (let i = 1; i < text.length; i++) {
    border = advance(text, borders, border, text.charCodeAt(i))
    borders[i + 1] = border
  }
  return { text, borders }
}

/** As `haystack.indexOf(text, from)`, with at most two comparisons per unit of the haystack. */
export function indexOfNeedle({ text, borders }: Needle, haystack: string, from: number): number {
  if (haystack.length - from < text.length) return -1
  let matched = 0
  for (let i = from; i < haystack.length; i++) {
    matched = advance(text, borders, matched, haystack.charCodeAt(i))
    if (matched === text.length) return i + 1 - matched
  }
  return -1
}

/** How many units match after this one. */
function advance(text: string, borders: Uint16Array, matched: number, unit: number): number {
  let length = matched
  while (length > 0 && text.charCodeAt(length) !== unit) length = borders[length] ?? 0
  return text.charCodeAt(length) === unit ? length + 1 : 0
}
