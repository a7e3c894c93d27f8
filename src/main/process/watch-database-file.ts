import { statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { ifExists } from '#blobs/storage-calls.ts'
import { everyOrWhenWoken } from '#concurrency/every-or-when-woken.ts'
import { StartError } from './start-failure.ts'

const everyMsDefault = 60_000

/**
 * Throws StartError once the file of the open database was deleted or replaced: SQLite notices nothing, and what is
 * written from then on is gone with the process. Resolves when the signal is aborted.
 */
export async function watchDatabaseFile(
  file: string,
  { signal, everyMs = everyMsDefault }: { readonly signal: AbortSignal; readonly everyMs?: number },
): Promise<void> {
  // At once: a file that replaces it a moment later is another one.
  const opened = statSync(file).ino
  const look = async (): Promise<number> => {
    if ((await ifExists(stat(file)))?.ino === opened) return everyMs
    throw new StartError(
      `${file} was deleted or replaced while the service used it, so that what it writes would be lost: start again with the database that shall be used`,
    )
  }
  await everyOrWhenWoken(look, { signal })
}
