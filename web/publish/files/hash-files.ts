import pMap from 'p-map'
import { words } from '#web/words/words.ts'
import type { SiteFile } from './choose-files.ts'
import { HashWorkers } from './hash-workers.ts'
import { ReadError } from './picked-file.ts'

/** Files that are being read at a time. */
const readingMax = 8
/** Larger files are hashed piece by piece; smaller ones by the browser itself, whole. */
const wholeBytesMax = 4 * 1024 * 1024

export interface HashProgress {
  readonly files: number
  readonly bytes: number
}

interface HashOptions {
  readonly signal: AbortSignal
  readonly onProgress: (progress: HashProgress) => void
}

/**
 * The SHA-256 of each file. At most `readingMax` files of `wholeBytesMax` are in memory at a time. Throws ReadError for
 * a file that is gone or has changed since it was picked.
 */
export async function hashFiles(
  files: readonly SiteFile[],
  { signal, onProgress }: HashOptions,
): Promise<Map<SiteFile, string>> {
  const workers = new HashWorkers()
  const hashes = new Map<SiteFile, string>()
  let bytes = 0
  const hash = async (file: SiteFile): Promise<void> => {
    signal.throwIfAborted()
    const known = remembered.get(file)
    const sha256 = known ?? (await hashOf(file, workers))
    remembered.set(file, sha256)
    hashes.set(file, sha256)
    bytes += file.bytes
    onProgress({ files: hashes.size, bytes })
  }
  try {
    await pMap(files, hash, { concurrency: readingMax, signal })
  } finally {
    workers.dispose()
  }
  return hashes
}

/** For another try with the same files: the browser refuses to read a file that has changed. */
const remembered = new WeakMap<SiteFile, string>()

async function hashOf(file: SiteFile, workers: HashWorkers): Promise<string> {
  const blob = await file.open()
  if (blob.size !== file.bytes) throw changed(file)
  try {
    // Plain http has no `subtle`, except on this machine.
    if (blob.size > wholeBytesMax || crypto.subtle === undefined) return await workers.hash(blob)
    return hexOf(await crypto.subtle.digest('SHA-256', await blob.arrayBuffer()))
  } catch (cause) {
    throw changed(file, cause)
  }
}

const changed = ({ path }: SiteFile, cause?: unknown) =>
  new ReadError(words.publish.fileUnreadable(path), { cause })

const hexOf = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')
