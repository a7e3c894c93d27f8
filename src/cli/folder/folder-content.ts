import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { UnreadableFileError } from './folder-error.ts'
import type { FolderFile } from './folder-listing.ts'

const pieceBytes = 256 * 1024

/**
 * Reads a file's current content, at most as many bytes as when it was listed; fewer if it has become shorter.
 * Throws UnreadableFileError.
 */
export async function* contentOf({
  path,
  realPath,
  bytes,
}: FolderFile): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  await using file = await orUnreadable(path, open(realPath, flags))
  for (let left = bytes; left > 0; ) {
    const piece = new Uint8Array(Math.min(left, pieceBytes))
    const { bytesRead } = await orUnreadable(path, file.read(piece, 0, piece.length))
    if (bytesRead === 0) return
    left -= bytesRead
    yield piece.subarray(0, bytesRead)
  }
}

// Another program may have replaced it by a link or a pipe.
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

async function orUnreadable<Result>(path: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (cause) {
    throw new UnreadableFileError(path, cause)
  }
}
