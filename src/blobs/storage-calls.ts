import { open } from 'node:fs/promises'
import { codeOf } from '#observe/code-of.ts'
import { BlobStorageError } from './blob-store.ts'

/** The result of a file system call. Throws BlobStorageError. */
export async function withStorageErrors<Result>(call: Promise<Result>): Promise<Result> {
  try {
    return await call
  } catch (cause) {
    const code = codeOf(cause)
    throw new BlobStorageError(code === 'ENOSPC' || code === 'EDQUOT' ? 'full' : 'failed', {
      cause,
    })
  }
}

/** The result of a file system call; null when there is no such file. */
export async function ifExists<Result>(call: Promise<Result>): Promise<Result | null> {
  try {
    return await call
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}

/** Makes a folder's entries durable; the files themselves need their own `sync`. */
export async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, 'r')
  await folder.sync()
}
