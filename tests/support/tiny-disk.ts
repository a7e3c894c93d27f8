import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * A file system of 2 MB at `path`, to be filled up; disposing it removes it. Rejects where mounting
 * is not allowed.
 */
export async function tinyDisk(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'tiny-'))
  const removeFolder = () => rm(path, { recursive: true })
  try {
    await Bun.$`mount -t tmpfs -o size=2m none ${path}`.quiet()
  } catch (error) {
    await removeFolder()
    throw error
  }
  return {
    path,
    [Symbol.asyncDispose]: async () => {
      await Bun.$`umount ${path}`.quiet()
      await removeFolder()
    },
  }
}

/** For `available`: whether there can be one. */
export async function probeTinyDisk(): Promise<void> {
  await using _ = await tinyDisk()
}
