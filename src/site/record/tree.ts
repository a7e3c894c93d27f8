import { ownNamespace } from '#site/namespace.ts'
import { compareBytes, nameOf, parentOf, type SitePath } from '#site/path.ts'
import type { Directory, Entry, FileNode } from './manifest.ts'

/** The paths form no tree, because one is both a file and a directory. */
export class NotATreeError extends Error {
  override readonly name = 'NotATreeError'
  readonly path: string
  constructor(path: string) {
    super(`a file is also a directory; path=${JSON.stringify(path)}`)
    this.path = path
  }
}

/** Entries are sorted by the bytes of their names, whatever the order of `files`. Throws NotATreeError. */
export function buildTree(files: ReadonlyMap<SitePath, FileNode>): Directory {
  const root = emptyDirectory()
  const directories = new Map([['', root]])
  for (const [path, node] of files) {
    openDirectory(directories, parentOf(path)).entries.push({ name: nameOf(path), node })
  }
  for (const [path, directory] of directories) {
    if (files.has(path as SitePath)) throw new NotATreeError(path)
    directory.entries.sort((a, b) => compareBytes(a.name, b.name))
  }
  return root
}

interface OpenDirectory extends Directory {
  readonly entries: Entry[]
}

function emptyDirectory(): OpenDirectory {
  return { $type: ownNamespace.nodes.directory, type: 'directory', entries: [] }
}

function openDirectory(directories: Map<string, OpenDirectory>, path: string): OpenDirectory {
  const known = directories.get(path)
  if (known !== undefined) return known
  const made = emptyDirectory()
  directories.set(path, made)
  openDirectory(directories, parentOf(path)).entries.push({ name: nameOf(path), node: made })
  return made
}
