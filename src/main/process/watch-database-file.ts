import { statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { ifExists } from '#blobs/storage-calls.ts'
import { everyOrWhenWoken } from '#concurrency/every-or-when-woken.ts'
import { StartError } from './start-failure.ts'

const everyMsDefault = 60_000

/** Throws StartError once the database's file is deleted or replaced, which SQLite does not notice: later writes would be lost. */
export async function watchDatabaseFile(
  file: string,
  { signal, everyMs = everyMsDefault }: { readonly signal: AbortSignal; readonly everyMs?: number },
): Promise<void> {
  // Synchronously: a file that replaces it a moment later has another inode.
  const opened = statSync(file).ino
  const check = async (): Promise<number> => {
    if ((await ifExists(stat(file)))?.ino === opened) return everyMs
    throw new StartError(
      `${file} was deleted or replaced while the service used it, so that what it writes would be lost: start again with the right database`,
    )
  }
  await everyOrWhenWoken(check, { signal })
}
