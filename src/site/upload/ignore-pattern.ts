import { type ByteSet, readByteSet } from './ignore-byte-set.ts'

/** A compiled pattern of gitignore(5), matched against bytes (one character each). */
export interface IgnorePattern {
  readonly tokens: readonly Token[]
  /** Index of the first token after the last wildcard of variable length, if that is a `*`; else -1. */
  readonly tail: number
  /** A pattern without a slash matches the last name of a path, at any depth. */
  readonly isAboutName: boolean
}

/** A byte, a set of bytes, or one of the wildcards. */
type Token = number | ByteSet | 'any' | 'star' | 'folders' | 'rest'

const slash = 0x2f

/** Returns a sentence if the pattern can match nothing, in git too. */
export function compileIgnorePattern(pattern: string): IgnorePattern | string {
  const isAboutName = !pattern.includes('/')
  const source = pattern.startsWith('/') ? pattern.slice(1) : pattern
  if (source === '') return 'matches nothing'
  const tokens: Token[] = []
  // Git compares the part before the first wildcard separately, so that `a**/b` means `a` and `**/b`.
  const wild = source.search(/[*?[\\]/)
  for (let at = 0; at < source.length; ) {
    const read = readToken(source, at, at === wild, isAboutName)
    if (typeof read === 'string') return read
    tokens.push(read.token)
    at = read.end
  }
  const last = tokens.findLastIndex(isOpen)
  return { tokens, isAboutName, tail: tokens[last] === 'star' ? last + 1 : -1 }
}

const isOpen = (token: Token): boolean =>
  token === 'star' || token === 'folders' || token === 'rest'

/**
 * Backtracks at most to the last `*` and the last `**`, so that the work is at most the product of both lengths,
 * times the folders of the path if there is a `**`. Every comparison is taken off `budget`; below zero the result
 * is meaningless.
 */
export function matchesIgnorePattern(
  { tokens, isAboutName, tail }: IgnorePattern,
  path: string,
  budget: { steps: number },
): boolean {
  let token = 0
  let at = isAboutName ? path.lastIndexOf('/') + 1 : 0
  let star = { token: -1, at }
  let folders = { token: -1, at, isWhole: true }
  while (budget.steps-- >= 0) {
    const wanted = tokens[token]
    if (wanted === undefined && at === path.length) return true
    if (wanted === 'star') {
      token += 1
      // After the last star the pattern's length is fixed, so it can start at only one place.
      if (token === tail) at = endOfStar(path, at, path.length - (tokens.length - tail))
      star = { token: token === tail ? -1 : token, at }
    } else if (wanted === 'folders' || wanted === 'rest') {
      token += 1
      folders = { token, at, isWhole: wanted === 'folders' }
      star = { token: -1, at }
    } else if (wanted !== undefined && at < path.length && accepts(wanted, path.charCodeAt(at))) {
      // A star cannot cross this slash, so earlier positions cannot match.
      if (wanted === slash) star = { token: -1, at }
      token += 1
      at += 1
    } else if (star.token !== -1 && star.at < path.length && path.charCodeAt(star.at) !== slash) {
      star.at += 1
      ;({ token, at } = star)
    } else if (folders.token !== -1) {
      const next = folders.isWhole ? path.indexOf('/', folders.at) : folders.at
      if (next === -1 || next >= path.length) return false
      folders.at = next + 1
      star = { token: -1, at }
      ;({ token, at } = folders)
    } else return false
  }
  return false
}

/** The end of a `*` that should reach `to`; `from` if that would go back or cross a slash. */
function endOfStar(path: string, from: number, to: number): number {
  const firstSlash = path.indexOf('/', from)
  return to < from || (firstSlash !== -1 && firstSlash < to) ? from : to
}

function accepts(wanted: Exclude<Token, 'star' | 'folders' | 'rest'>, byte: number): boolean {
  if (typeof wanted === 'number') return wanted === byte
  if (byte === slash) return false
  return wanted === 'any' || wanted[byte] === 1
}

type Read = { readonly token: Token; readonly end: number } | string

function readToken(source: string, at: number, isFirstWild: boolean, isAboutName: boolean): Read {
  switch (source[at]) {
    case '?':
      return { token: 'any', end: at + 1 }
    case '*':
      return readStars(source, at, isFirstWild, isAboutName)
    case '[':
      return readByteSet(source, at)
    case '\\':
      if (at + 1 === source.length) return 'ends with a backslash'
      return { token: source.charCodeAt(at + 1), end: at + 2 }
    default:
      return { token: source.charCodeAt(at), end: at + 1 }
  }
}

/** `**` differs from `*` only where it matches whole names. */
function readStars(source: string, at: number, isFirstWild: boolean, isAboutName: boolean): Read {
  let end = at
  while (source[end] === '*') end++
  const startsName = isFirstWild || source[at - 1] === '/'
  if (end - at === 1 || isAboutName || !startsName) return { token: 'star', end }
  if (source[end] === '/') return { token: 'folders', end: end + 1 }
  const isRest = end === source.length || source.startsWith('\\/', end)
  return { token: isRest ? 'rest' : 'star', end }
}
