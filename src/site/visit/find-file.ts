import { findName } from './find-name.ts'
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
