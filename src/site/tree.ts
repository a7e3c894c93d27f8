import { directoryDepthMax, directoryEntriesMax, problemsMax } from './limits.ts'
import type { Directory, Entry, FileNode, SubfsNode } from './manifest.ts'
import { compareBytes, parseSitePath, type SitePath } from './path.ts'

export type FilesResult =
  | { readonly ok: true; readonly files: Map<SitePath, FileNode> }
  | { readonly ok: false; readonly problems: string[] }

/** A set of paths that no directory tree can hold, because one is a file and a directory. */
export class NotATreeError extends Error {
  override readonly name = 'NotATreeError'
  readonly path: string
  constructor(path: string) {
    super(`a file is also a directory; path=${JSON.stringify(path)}`)
    this.path = path
  }
}

/**
 * The directory tree of these files. The same files give the same tree, in whatever order they come:
 * entries are sorted by the bytes of their names. Throws NotATreeError for what `treeProblems` names.
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

/** The files of a tree by their paths, or what is wrong with it. Loops, however deep the tree. */
export function listFiles(root: Directory): FilesResult {
  const files = new Map<SitePath, FileNode>()
  const problems: string[] = []
  const waiting: { path: string; directory: Directory }[] = [{ path: '', directory: root }]
  // the list grows while it is walked
  for (const { path, directory } of waiting) {
    for (const { name, node } of directory.entries) {
      const at = join(path, name)
      if (node.type === 'directory') waiting.push({ path: at, directory: node })
      else if (node.type === 'subfs') problems.push(describeUnreadPart(node))
      else addFile(files, at, node, problems)
    }
  }
  return problems.length === 0 ? { ok: true, files } : { ok: false, problems }
}

/**
 * Why no manifest can hold files of these paths, in sentences that name the path; none when one can.
 */
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
  for (const [path, names] of directories) {
    if (files.has(path)) problems.push(`a file that is also a directory: ${path}`)
    if (names.size > directoryEntriesMax) {
      problems.push(`over ${directoryEntriesMax} entries in one directory: ${path || 'the root'}`)
    }
  }
  return problems.slice(0, problemsMax)
}

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

function addFile(
  files: Map<SitePath, FileNode>,
  at: string,
  node: FileNode,
  problems: string[],
): void {
  const path = parseSitePath(at)
  if (path === null) problems.push(`${JSON.stringify(at)} is no path`)
  else if (files.has(path)) problems.push(`${JSON.stringify(at)} is there twice`)
  else files.set(path, node)
}

// the one place that knows that a site kept in several records cannot be read yet
function describeUnreadPart(part: SubfsNode): string {
  return `parts are not read yet: ${part.subject}`
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

function join(path: string, name: string): string {
  return path === '' ? name : `${path}/${name}`
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
