import { directoryDepthMax, expandedEntriesMax, partsMax, problemsMax } from '#site/limits.ts'
import { compareBytes, type SitePath } from '#site/path.ts'
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

/**
 * The directory tree of these files, independent of their order: entries are sorted by the bytes of their names.
 * Throws NotATreeError for a path that is both a file and a directory.
 */
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

/** Why a manifest cannot hold files at these paths, in sentences that name the path; empty if it can. */
export function treeProblems(paths: Iterable<SitePath>): string[] {
  const files = new Set<string>()
  const directories = new Map<string, Set<string>>()
  const problems: string[] = []
  for (const path of paths) {
    if (files.has(path)) problems.push(`the same path twice: ${path}`)
    files.add(path)
    if (path.split('/').length - 1 > directoryDepthMax) {
      problems.push(`more than ${directoryDepthMax} directories deep: ${path}`)
    }
    noteEntry(directories, path)
  }
  const entries = [...directories.values()].reduce((sum, names) => sum + names.size, 0)
  if (entries > treeEntriesMax) {
    problems.push(`over ${treeEntriesMax} files and directories together`)
  }
  for (const path of directories.keys()) {
    if (files.has(path)) problems.push(`a file that is also a directory: ${path}`)
  }
  return problems.slice(0, problemsMax)
}

/** Entries that reference parts count towards the limit of the whole site. */
const treeEntriesMax = expandedEntriesMax - partsMax

interface OpenDirectory extends Directory {
  readonly entries: Entry[]
}

function emptyDirectory(): OpenDirectory {
  return { $type: 'place.sitehost.fs#directory', type: 'directory', entries: [] }
}

function openDirectory(directories: Map<string, OpenDirectory>, path: string): OpenDirectory {
  const known = directories.get(path)
  if (known !== undefined) return known
  const made = emptyDirectory()
  directories.set(path, made)
  openDirectory(directories, parentOf(path)).entries.push({ name: nameOf(path), node: made })
  return made
}

function noteEntry(directories: Map<string, Set<string>>, path: string): void {
  const parent = parentOf(path)
  const known = directories.get(parent)
  if (known !== undefined) {
    known.add(nameOf(path))
    return
  }
  directories.set(parent, new Set([nameOf(path)]))
  if (parent !== '') noteEntry(directories, parent)
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
