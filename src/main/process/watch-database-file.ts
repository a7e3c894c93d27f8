import { statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { everyOrWhenWoken } from '#concurrency/every-or-when-woken.ts'
import { codeOf } from '#observe/code-of.ts'
import { StartError } from './start-failure.ts'

const everyMsDefault = 60_000

interface WatchOptions {
  readonly signal: AbortSignal
  readonly everyMs?: number
}

/**
 * Throws StartError once the file of the open database was deleted or replaced: SQLite notices nothing, and what is
 * written from then on is gone with the process. Resolves when the signal is aborted.
 */
export async function watchDatabaseFile(
  file: string,
  { signal, everyMs = everyMsDefault }: WatchOptions,
): Promise<void> {
  // At once: a file that replaces it a moment later is another one.
  const opened = statSync(file).ino
  const look = async (): Promise<number> => {
    if ((await inodeOf(file)) === opened) return everyMs
    throw new StartError(
      `${file} was deleted or replaced while the service used it, so that what it writes would be lost: start again with the database that shall be used`,
    )
  }
  await everyOrWhenWoken(look, { signal })
}

/** Null without a file. */
async function inodeOf(file: string): Promise<number | null> {
  try {
    return (await stat(file)).ino
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}
