import pMap from 'p-map'
import { uploadEntriesMax } from '#site/limits.ts'
import { skipReason } from '#site/upload/path-rules.ts'
import { words } from '#web/words/words.ts'
import { inSlices } from './in-slices.ts'
import { type PickedFile, pickedOf, ReadError } from './picked-file.ts'

/** Files of a drop that are being opened at a time. */
const openingMax = 32

interface ReadOptions {
  /** How many files have been found. */
  readonly onFound?: (count: number) => void
  readonly signal?: AbortSignal
}

/**
 * The files among the entries, folders read to the bottom. Folders that are left out are not read; they come
 * as one empty file of that name. Throws ReadError.
 */
export async function filesOfEntries(
  entries: readonly FileSystemEntry[],
  { onFound, signal }: ReadOptions = {},
): Promise<PickedFile[]> {
  const found = await list(entries, onFound, signal)
  try {
    return await pMap(found, pick, { concurrency: openingMax, ...(signal && { signal }) })
  } catch (cause) {
    signal?.throwIfAborted()
    // What browsers say here ("A requested file or directory could not be found") helps nobody.
    throw new ReadError(words.publish.unreadable, { cause })
  }
}

/** The files of `<input type=file>`, folder pick or not. */
export async function filesOfInput(files: readonly File[]): Promise<PickedFile[]> {
  const picked: PickedFile[] = []
  // Each is looked up on the disk when its size is asked for, while the page waits.
  await inSlices(files, (file) => {
    const { name, webkitRelativePath: path } = file
    // Chromium writes a slash for each backslash in the path, which would make folders of it.
    picked.push(pickedOf(path.slice(0, -name.length) + name, file))
  })
  return picked
}

async function list(
  entries: readonly FileSystemEntry[],
  onFound?: (count: number) => void,
  signal?: AbortSignal,
): Promise<FileSystemEntry[]> {
  const found: FileSystemEntry[] = []
  const folders: FileSystemDirectoryEntry[] = []
  const sort = (entry: FileSystemEntry) => {
    if (isFolder(entry) && skipReason(pathOf(entry)) === null) folders.push(entry)
    else found.push(entry)
  }
  entries.forEach(sort)
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    signal?.throwIfAborted()
    const within = await readFolder(folder).catch((cause) => {
      throw new ReadError(words.publish.unreadable, { cause })
    })
    within.forEach(sort)
    if (found.length + folders.length > uploadEntriesMax) {
      throw new ReadError(words.publish.tooManyEntries(uploadEntriesMax))
    }
    onFound?.(found.length)
  }
  return found
}

async function pick(entry: FileSystemEntry): Promise<PickedFile> {
  const path = pathOf(entry)
  if (!isFile(entry)) return pickedOf(path, new Blob())
  return pickedOf(path, await new Promise<File>((resolve, reject) => entry.file(resolve, reject)))
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
    // One folder of a million files ends here, not in the browser's memory.
    if (all.length > uploadEntriesMax) return all
  }
}

const pathOf = (entry: FileSystemEntry): string => entry.fullPath.slice(1)
const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory
