import { nameOf, parentOf } from '#site/path.ts'
import { isReservedFile } from './find-file.ts'
import type { SnapshotFile } from './snapshot.ts'

export type ListingEntry =
  | { readonly kind: 'directory'; readonly name: string }
  | {
      readonly kind: 'file'
      readonly name: string
      /** Of the decoded content. */
      readonly bytes: number
      readonly contentType: string
    }

/** By path; empty for the root, which is always there. */
export type Directories = ReadonlyMap<string, readonly ListingEntry[]>

/** All directories of a site. Entries are sorted by name, directories first. */
export function listDirectories(files: ReadonlyMap<string, SnapshotFile>): Directories {
  const directories = new Map<string, ListingEntry[]>([['', []]])
  for (const [path, { bytes, contentType }] of files) {
    if (isReservedFile(path)) continue
    const name = nameOf(path)
    directoryAt(directories, parentOf(path)).push({ kind: 'file', name, bytes, contentType })
  }
  for (const entries of directories.values()) entries.sort(compareEntries)
  return directories
}

function directoryAt(directories: Map<string, ListingEntry[]>, path: string): ListingEntry[] {
  const known = directories.get(path)
  if (known !== undefined) return known
  directoryAt(directories, parentOf(path)).push({ kind: 'directory', name: nameOf(path) })
  const entries: ListingEntry[] = []
  directories.set(path, entries)
  return entries
}

// By code units, not by locale: the same order on every machine.
function compareEntries(a: ListingEntry, b: ListingEntry): number {
  if (a.kind !== b.kind) return a.kind === 'directory' ? -1 : 1
  return a.name < b.name ? -1 : 1
}
