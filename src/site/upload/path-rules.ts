import { isEntryName } from '#site/path.ts'

/**
 * Why a file of an upload is skipped, for the list of skipped files; null if it is not. Depends on the path alone,
 * so that a skipped file need not be received.
 */
export function skipReason(path: string): string | null {
  for (const segment of path.toLowerCase().split('/')) {
    const reason = skipReasonOf(segment)
    if (reason !== null) return reason
  }
  return null
}

/** At the root of an upload: rules for further files to skip. Never part of a site. */
export const ignoreFileName = '.sitehostignore'

/** At the root of an upload: what every tool should know of the site. Never part of it. */
export const siteFileName = 'sitehost.json'

/** Files at the root of an upload that may leave out others, and are never part of the site. */
export type RuleFileName = typeof ignoreFileName | typeof siteFileName
export const ruleFileNames: readonly RuleFileName[] = [ignoreFileName, siteFileName]

/** The root folder that uploading a folder puts before every path; null if the paths share none. */
export function sharedRoot(paths: Iterable<string>): string | null {
  let shared: string | null = null
  for (const path of paths) {
    const slash = path.indexOf('/')
    if (slash === -1) return null
    const root = path.slice(0, slash)
    // a shared `..` is a bad path, not a folder: stripping it would hide it from validation
    if (!isEntryName(root)) return null
    if (shared !== null && shared !== root) return null
    shared = root
  }
  return shared
}

/** `name` is in lower case: the file systems that create these names ignore case. */
function skipReasonOf(name: string): string | null {
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
