import { siteFilesMax } from '#site/limits.ts'
import { ignoreFileName, skipReason } from '#site/upload/path-rules.ts'

/** `path` is relative and starts with the picked folder's name: `blog/index.html`. */
export interface PickedFile {
  readonly path: string
  readonly file: File
}

export interface SkippedFile {
  readonly name: string
  readonly reason: string
}

/** What will be sent, and what will not. */
export interface Collection {
  readonly files: readonly PickedFile[]
  readonly totalBytes: number
  /** The folder that everything is in, or the archive's name without its ending; '' for loose files. */
  readonly folder: string
  /** A folder that is left out whole counts once. */
  readonly leftOut: readonly SkippedFile[]
  /** Why this cannot become a site, or null. */
  readonly problem: string | null
  /** A site without one has no start page. */
  readonly hasIndex: boolean
}

/**
 * Leaves out what the server would leave out, so that secrets and installed packages are not even sent.
 * The server strips the shared folder, for every client alike.
 */
export function collectFiles(picked: readonly PickedFile[]): Collection {
  const reasons = new Map<string, string>()
  const files: PickedFile[] = []
  for (const one of picked) {
    const out = leftOutAt(one.path)
    if (out === null) files.push(one)
    else reasons.set(out.name, out.reason)
  }
  const folder = archiveOf(files)?.name ?? sharedFolder(files)
  const top = folder === '' ? '' : `${folder}/`
  const holds = (name: string) => files.some(({ path }) => path === top + name)
  return {
    files,
    totalBytes: files.reduce((sum, { file }) => sum + file.size, 0),
    folder,
    leftOut: Array.from(reasons, ([name, reason]) => ({ name, reason })),
    problem: problemWith(files.length, holds(ignoreFileName)),
    hasIndex: holds('index.html'),
  }
}

/** The one file that is there, if it is an archive: what is in it becomes the site. `name` is without the ending. */
export function archiveOf(files: readonly PickedFile[]): (PickedFile & { name: string }) | null {
  const [picked, ...others] = files
  if (picked === undefined || others.length > 0 || picked.path.includes('/')) return null
  const name = picked.path.replace(archiveEnding, '')
  return name === picked.path ? null : { ...picked, name }
}

// As the server reads it (src/publish/upload/archive-unpack.ts).
const archiveEnding = /\.(zip|tar|tar\.gz|tgz)$/i

/** The file or the outermost folder above it that is never part of a site, and why; null if none is. */
export function leftOutAt(path: string): SkippedFile | null {
  const segments = path.split('/')
  for (let depth = 1; depth <= segments.length; depth++) {
    const name = segments.slice(0, depth).join('/')
    const reason = skipReason(name)
    if (reason !== null) return { name, reason }
  }
  return null
}

/** The files of `<input type=file>`, folder pick or not. */
export function filesOfInput(files: Iterable<File>): PickedFile[] {
  return Array.from(files, (file) => ({ path: file.webkitRelativePath || file.name, file }))
}

/** The files and folders of a drop, not its texts. Call it within the event: the items are gone after it. */
export function entriesOfDrop(items: Iterable<DataTransferItem>): FileSystemEntry[] {
  const entries = Array.from(items, (item) => item.webkitGetAsEntry())
  return entries.filter((entry) => entry !== null)
}

/**
 * The files among the entries, folders read to the bottom. Folders that are left out are not read; they come
 * as one empty file of that name.
 */
export async function filesOfEntries(entries: readonly FileSystemEntry[]): Promise<PickedFile[]> {
  const found: PickedFile[] = []
  for (const entry of entries) {
    const path = entry.fullPath.slice(1)
    if (isFile(entry)) found.push({ path, file: await openFile(entry) })
    else if (skipReason(path) !== null) found.push({ path, file: new File([], entry.name) })
    else if (isFolder(entry)) found.push(...(await filesOfEntries(await readFolder(entry))))
  }
  return found
}

/** The folder that everything is in; '' for loose files. */
export function sharedFolder(files: readonly PickedFile[]): string {
  const [folder = '', ...rest] = files[0]?.path.split('/') ?? []
  const isShared = rest.length > 0 && files.every(({ path }) => path.startsWith(`${folder}/`))
  return isShared ? folder : ''
}

async function readFolder(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    // Chromium hands out 100 at a time; only an empty batch is the end.
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (batch.length === 0) return all
    all.push(...batch)
  }
}

const openFile = (entry: FileSystemFileEntry) => new Promise<File>((ok, no) => entry.file(ok, no))
const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory

function problemWith(count: number, hasIgnoreFile: boolean): string | null {
  if (count === 0) return 'There is nothing in it that can be published.'
  if (count <= siteFilesMax || hasIgnoreFile) return null
  return `A site can have at most ${siteFilesMax} files; this folder has ${count}.`
}
