import { headerSearchesMax } from '#site/limits.ts'

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
interface LastStar {
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

/** The searches that all paths of a site's headers share, those of its settings and those of its `_headers`. */
export class SearchBudget {
  #left = headerSearchesMax

  /** What to tell the owner of a path that takes more searches than are left: it is not used. Null for all others. */
  spend(searches: number): string | null {
    if (searches > this.#left) return tooManySearches
    this.#left -= searches
    return null
  }
}

const tooManySearches = `more than ${headerSearchesMax} pieces of text between two *, with those of the paths before; this path is not used`

/** Text to search for, prepared as Knuth, Morris and Pratt do: `String.indexOf` may compare all of it again at each place. */
interface Needle {
  readonly text: string
  /** By the number of units that match: how many still do when the next one differs. */
  readonly borders: Uint16Array
}

/** Linear in the text, which is shorter than 65536 units. */
export function compileNeedle(text: string): Needle {
  const borders = new Uint16Array(text.length + 1)
  let border = 0
  for (let i = 1; i < text.length; i++) {
    border = advance(text, borders, border, text.charCodeAt(i))
    borders[i + 1] = border
  }
  return { text, borders }
}

/** As `haystack.indexOf(text, from)`, in two comparisons for each unit of the haystack at most. */
export function indexOfNeedle({ text, borders }: Needle, haystack: string, from: number): number {
  if (haystack.length - from < text.length) return -1
  let matched = 0
  for (let i = from; i < haystack.length; i++) {
    matched = advance(text, borders, matched, haystack.charCodeAt(i))
    if (matched === text.length) return i + 1 - matched
  }
  return -1
}

/** How many units match once this one follows. */
function advance(text: string, borders: Uint16Array, matched: number, unit: number): number {
  let length = matched
  while (length > 0 && text.charCodeAt(length) !== unit) length = borders[length] ?? 0
  return text.charCodeAt(length) === unit ? length + 1 : 0
}
