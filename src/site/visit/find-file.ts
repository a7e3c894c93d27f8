import type { SnapshotFile } from './snapshot.ts'

/** A file of a site, and the path that it is stored under. */
export interface StoredFile {
  readonly path: string
  readonly file: SnapshotFile
}

/** By bytes or else by NFC. Null for no file, and for files that configure the site: they are never served. */
export function findFile(
  files: ReadonlyMap<string, SnapshotFile>,
  path: string,
): StoredFile | null {
  if (isReservedFile(path)) return null
  const stored = findName(files, path)
  const file = stored === undefined ? undefined : files.get(stored)
  return stored === undefined || file === undefined ? null : { path: stored, file }
}

/** Whether the file at this path configures the site and is never sent to visitors. */
export function isReservedFile(path: string): boolean {
  return path === '_redirects' || path === '_headers' || path === '.sitehostignore'
}

type Names = ReadonlyMap<string, unknown>

/** By bytes or else by NFC: accents have two spellings that look the same. `names` must not change after the first call. */
export function findName(names: Names, name: string): string | undefined {
  if (names.has(name)) return name
  const composed = name.normalize('NFC')
  return names.has(composed) ? composed : decomposedNames(names).get(composed)
}

/** Names not in NFC (macOS decomposes accents), by NFC. Made on the first miss and cached as long as `names`. */
function decomposedNames(names: Names): ReadonlyMap<string, string> {
  const known = decomposed.get(names)
  if (known !== undefined) return known
  const made = new Map<string, string>()
  for (const name of names.keys()) {
    const composed = name.normalize('NFC')
    if (composed !== name) made.set(composed, name)
  }
  decomposed.set(names, made)
  return made
}

const decomposed = new WeakMap<Names, ReadonlyMap<string, string>>()
