import { isEntryName } from '#site/path.ts'

/**
 * Why a file of an upload never becomes part of a site, for the list of skipped files; `null` when
 * it does. Decided by its path alone, so that what is left out need not be received.
 */
export function isLeftOut(path: string): string | null {
  for (const segment of path.toLowerCase().split('/')) {
    const reason = leftOutBy(segment)
    if (reason !== null) return reason
  }
  return null
}

/** At the top of an upload: the rules of what else is left out. Never part of a site. */
export const ignoreFileName = '.sitehostignore'

/** The folder that all files are in, which an upload of a folder puts before every path; else `null`. */
export function sharedRoot(paths: Iterable<string>): string | null {
  let shared: string | null = null
  for (const path of paths) {
    const slash = path.indexOf('/')
    if (slash === -1) return null
    const root = path.slice(0, slash)
    // `..` shared by all is no folder but a bad path, which must not be stripped before it is refused
    if (!isEntryName(root)) return null
    if (shared !== null && shared !== root) return null
    shared = root
  }
  return shared
}

/** `name` is a segment in lower case: where names differ by case only, the file systems that make these agree. */
function leftOutBy(name: string): string | null {
  const exact = byName.get(name)
  if (exact !== undefined) return exact
  if (name.startsWith('.env')) return 'may hold secrets'
  if (name.startsWith('._')) return 'written by macOS'
  return isEditorFile(name) ? 'written by an editor' : null
}

const byName = new Map([
  ['.git', 'belongs to version control'],
  ['.ds_store', 'written by macOS'],
  ['__macosx', 'written by macOS'],
  ['thumbs.db', 'written by Windows'],
  ['desktop.ini', 'written by Windows'],
  ['node_modules', 'installed packages'],
])

/** Vim's `.x.swp` to `.x.swa`, Emacs' `.#x` and `#x#`, LibreOffice's `.~lock.x#`, and `x~`. */
function isEditorFile(name: string): boolean {
  if (name.startsWith('.#') || name.startsWith('.~lock.') || name.endsWith('~')) return true
  if (name.startsWith('#') && name.endsWith('#')) return true
  return /^\..*\.sw[a-p]$/.test(name)
}
