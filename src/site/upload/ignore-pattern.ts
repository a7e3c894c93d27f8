import { type ByteSet, readByteSet } from './ignore-byte-set.ts'

/** One pattern of gitignore(5), ready to be matched against bytes (one character of text each). */
export interface IgnorePattern {
  readonly tokens: readonly Token[]
  /** Index of the first token after the last wildcard that has no certain length, if that is a `*`; else -1. */
  readonly tail: number
  /** Without a slash inside, a pattern is about the last name of a path, wherever that is. */
  readonly isAboutName: boolean
}

/** A byte, a set of bytes, or one of the wildcards. */
type Token = number | ByteSet | 'any' | 'star' | 'folders' | 'rest'

const slash = 0x2f

/** A sentence if the pattern is one that git, too, can match with nothing. */
export function compileIgnorePattern(pattern: string): IgnorePattern | string {
  const isAboutName = !pattern.includes('/')
  const source = pattern.startsWith('/') ? pattern.slice(1) : pattern
  if (source === '') return 'matches nothing'
  const tokens: Token[] = []
  // Git compares what is before the first wildcard by itself, so that `a**/b` is `a` and `**/b` to it.
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
 * Never goes back further than to the last `*` and the last `**`, so that the work is at most the product
 * of both lengths, times the folders of the path where there is a `**`. Every comparison is taken off
 * `budget`; below zero there is none left, and the answer means nothing.
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
      // What follows the last one is as long as the end of the path: there is one place where it can begin.
      if (token === tail) at = endOfStar(path, at, path.length - (tokens.length - tail))
      star = { token: token === tail ? -1 : token, at }
    } else if (wanted === 'folders' || wanted === 'rest') {
      token += 1
      folders = { token, at, isWhole: wanted === 'folders' }
      star = { token: -1, at }
    } else if (wanted !== undefined && at < path.length && accepts(wanted, path.charCodeAt(at))) {
      // A star ends with its name: nothing before this slash can be matched otherwise.
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

/** A `*` from here to there; nothing, where that would go back, or take a slash. */
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
      return readSet(source, at)
    case '\\':
      if (at + 1 === source.length) return 'ends with a backslash'
      return { token: source.charCodeAt(at + 1), end: at + 2 }
    default:
      return { token: source.charCodeAt(at), end: at + 1 }
  }
}

/** `**` is more than `*` only where it stands for whole names. */
function readStars(source: string, at: number, isFirstWild: boolean, isAboutName: boolean): Read {
  let end = at
  while (source[end] === '*') end++
  const startsName = isFirstWild || source[at - 1] === '/'
  if (end - at === 1 || isAboutName || !startsName) return { token: 'star', end }
  if (source[end] === '/') return { token: 'folders', end: end + 1 }
  const isRest = end === source.length || source.startsWith('\\/', end)
  return { token: isRest ? 'rest' : 'star', end }
}

function readSet(source: string, at: number): Read {
  const read = readByteSet(source, at)
  return typeof read === 'string' ? read : { token: read.set, end: read.end }
}
