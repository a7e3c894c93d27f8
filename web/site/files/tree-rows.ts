import type { AnswerTo } from '#api/contract/client.ts'
import { naturalOrder } from '#web/parts/natural-order.ts'

export type ListedFile = AnswerTo<'GET /api/site/:rkey/versions/:id/files'>['files'][number]

interface Placed {
  /** From 1. */
  readonly level: number
  /** Among the entries of its folder, from 1. */
  readonly position: number
  readonly setSize: number
}

export interface FolderRow extends Placed {
  readonly kind: 'folder'
  readonly path: string
  readonly name: string
  readonly isOpen: boolean
  /** In it and below. */
  readonly fileCount: number
  readonly bytes: number
}

export interface FileRow extends Placed {
  readonly kind: 'file'
  readonly path: string
  readonly name: string
  readonly file: ListedFile
}

/** A line of the list. */
export type TreeRow = FolderRow | FileRow

export interface Folder {
  readonly path: string
  readonly name: string
  readonly folders: readonly Folder[]
  readonly files: readonly ListedFile[]
  readonly fileCount: number
  readonly bytes: number
}

/** The folders that the paths name; folders and files by name, numbers by their value. */
export function treeOf(files: readonly ListedFile[]): Folder {
  const root = newFolder('')
  for (const file of files) folderOf(root, file.path).files.push(file)
  return finished(root)
}

/** The rows of what is open, from the top: the folders of a folder before its files. */
export function rowsOf(root: Folder, isOpen: (path: string) => boolean): TreeRow[] {
  const rows: TreeRow[] = []
  const add = (folder: Folder, level: number): void => {
    const setSize = folder.folders.length + folder.files.length
    let position = 0
    for (const inner of folder.folders) {
      position++
      const { bytes, fileCount, name, path } = inner
      const row = { kind: 'folder', path, name, isOpen: isOpen(path), fileCount, bytes } as const
      rows.push({ ...row, level, position, setSize })
      if (row.isOpen) add(inner, level + 1)
    }
    for (const file of folder.files) {
      position++
      const { path } = file
      rows.push({ kind: 'file', path, name: nameOf(path), file, level, position, setSize })
    }
  }
  add(root, 1)
  return rows
}

/** The files whose path has every word of `text`, in any order and case. */
export function filterFiles(files: readonly ListedFile[], text: string): readonly ListedFile[] {
  const wanted = text.split(/\s+/).filter(Boolean).map(folded)
  if (wanted.length === 0) return files
  return files.filter(({ path }) => {
    const found = folded(path)
    return wanted.every((word) => found.includes(word))
  })
}

export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

const folded = (text: string): string => text.normalize('NFC').toLowerCase()

interface GrowingFolder {
  readonly path: string
  readonly folders: Map<string, GrowingFolder>
  readonly files: ListedFile[]
}

const newFolder = (path: string): GrowingFolder => ({ path, folders: new Map(), files: [] })

function folderOf(root: GrowingFolder, path: string): GrowingFolder {
  let folder = root
  for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1)) {
    const above = path.slice(0, slash)
    const inner = folder.folders.get(above) ?? newFolder(above)
    folder.folders.set(above, inner)
    folder = inner
  }
  return folder
}

function finished({ path, folders, files }: GrowingFolder): Folder {
  const inner = Array.from(folders.values(), finished).sort(byName)
  const sum = (own: number, of: (folder: Folder) => number) =>
    inner.reduce((total, folder) => total + of(folder), own)
  return {
    path,
    name: nameOf(path),
    folders: inner,
    files: files.sort(byName),
    fileCount: sum(files.length, ({ fileCount }) => fileCount),
    bytes: sum(
      files.reduce((total, { bytes }) => total + bytes, 0),
      ({ bytes }) => bytes,
    ),
  }
}

const byName = (a: { readonly path: string }, b: { readonly path: string }): number =>
  naturalOrder(nameOf(a.path), nameOf(b.path))
