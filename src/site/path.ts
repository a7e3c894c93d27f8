import { entryNameBytesMax, sitePathBytesMax } from './limits.ts'
import { exceedsUtf8Bytes } from './utf8.ts'

declare const sitePath: unique symbol

/** Where a file is in its site, such as `blog/index.html`. */
export type SitePath = string & { readonly [sitePath]: true }

export type BadName =
  | 'empty segment'
  | 'dot segment'
  | 'slash'
  | 'backslash'
  | 'control character'
  | 'not Unicode'
  | 'over 255 bytes'

export type BadPath = 'empty' | 'absolute' | 'over 1024 bytes in all' | Exclude<BadName, 'slash'>

/** `blog/index.html`: no leading slash, every segment an entry name. Returns null for anything else. */
export function parseSitePath(input: string): SitePath | null {
  return describeBadPath(input) === null ? (input as SitePath) : null
}

/** Brands entry names joined by slashes, without checking them again; null if too long. */
export function sitePathOf(names: string): SitePath | null {
  return exceedsUtf8Bytes(names, sitePathBytesMax) ? null : (names as SitePath)
}

/** Why a path is not a site path, for the person who sent it; `null` when it is one. */
export function describeBadPath(input: string): BadPath | null {
  if (input === '') return 'empty'
  if (input.startsWith('/')) return 'absolute'
  if (exceedsUtf8Bytes(input, sitePathBytesMax)) return 'over 1024 bytes in all'
  for (const segment of input.split('/')) {
    const bad = describeBadName(segment)
    if (bad !== null && bad !== 'slash') return bad
  }
  return null
}

/** Whether a directory may hold an entry of this name: one segment of a path. */
export function isEntryName(name: string): boolean {
  return describeBadName(name) === null
}

/** Why a directory cannot hold an entry of this name; `null` when it can. */
export function describeBadName(name: string): BadName | null {
  if (name === '') return 'empty segment'
  if (name === '.' || name === '..') return 'dot segment'
  if (name.includes('/')) return 'slash'
  if (name.includes('\\')) return 'backslash'
  if (holdsControl(name)) return 'control character'
  if (!name.isWellFormed()) return 'not Unicode'
  if (exceedsUtf8Bytes(name, entryNameBytesMax)) return 'over 255 bytes'
  return null
}

/** `a/b` of `a/b/c`; empty at the root. */
export const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

/** `c` of `a/b/c`. */
export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** For messages: quoted, control characters escaped and clipped, because others chose the string. */
export const quote = (text: string, charsMax = 200): string =>
  JSON.stringify(text.length > charsMax ? `${text.slice(0, charsMax)}…` : text)

/** `a/b/c` is in `a` and `a/b`. */
export function foldersAbove(path: string): string[] {
  const folders: string[] = []
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) {
    folders.push(path.slice(0, at))
  }
  return folders
}

/** Compares by UTF-8 bytes, as repositories do; JavaScript's order differs beyond U+FFFF. */
export function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

// C0, DEL and C1: they forge log lines and terminal output; nobody puts them into file names on purpose
function holdsControl(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return true
  }
  return false
}
