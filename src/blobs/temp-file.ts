import { type FileHandle, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { free } from '#concurrency/pieces-of.ts'
import type { PutOptions, StoredBlob } from './blob-store.ts'
import { ifExists, withStorageErrors } from './storage-calls.ts'

/** Hashing this much takes well under 1 ms; the event loop runs in between. */
const pieceBytes = 256 * 1024
/** A stopping process and its successor may share the folder. */
const staleMs = 60 * 60 * 1000

export type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

interface TempFile extends StoredBlob {
  readonly path: string
}

/** Writes and hashes chunks into a new, durable file with a random name. Deletes the file on failure. */
export async function writeTempFile(
  dir: string,
  chunks: Chunks,
  { mayFree = false }: PutOptions = {},
): Promise<TempFile> {
  const path = join(dir, crypto.randomUUID())
  await using file = await withStorageErrors(open(path, 'wx', 0o600))
  try {
    const stored = await copy(chunks, file, mayFree)
    await withStorageErrors(file.sync())
    return { path, ...stored }
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
}

/** Deletes files that were not written to for an hour; returns how many. */
export async function sweepTempFiles(dir: string, now: number): Promise<number> {
  let removed = 0
  for (const file of (await withStorageErrors(ifExists(readdir(dir)))) ?? []) {
    const path = join(dir, file)
    const written = await withStorageErrors(ifExists(stat(path)))
    if (written === null || written.mtimeMs > now - staleMs) continue
    await withStorageErrors(rm(path, { force: true }))
    removed++
  }
  return removed
}

async function copy(chunks: Chunks, file: FileHandle, mayFree: boolean): Promise<StoredBlob> {
  const hasher = new Bun.CryptoHasher('sha256')
  let bytes = 0
  for await (const chunk of chunks) {
    for (let start = 0; start < chunk.byteLength; start += pieceBytes) {
      const piece = chunk.subarray(start, start + pieceBytes)
      hasher.update(piece)
      await withStorageErrors(writeAll(file, piece))
      bytes += piece.byteLength
    }
    if (mayFree) free(chunk)
  }
  return { hash: hasher.digest('hex'), bytes }
}

async function writeAll(file: FileHandle, piece: Uint8Array): Promise<void> {
  // A nearly full disk may write only a part.
  for (let written = 0; written < piece.byteLength; ) {
    const { bytesWritten } = await file.write(piece, written)
    written += bytesWritten
  }
}
