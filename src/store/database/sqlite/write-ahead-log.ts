import { close, fdatasync, open } from 'node:fs'
import { promisify } from 'node:util'
import { codeOf } from '#observe/code-of.ts'
import { DatabaseUnavailableError } from '#store/database/database-unavailable.ts'

/** Makes commits durable that SQLite has written without syncing (`synchronous = normal`). */
export interface WriteAheadLog {
  /**
   * Resolves when the commits before this call are on the disk. Calls during a sync share the next one. Throws
   * DatabaseUnavailableError.
   */
  sync(): Promise<void>
  close(): Promise<void>
}

/**
 * For a file that our process has open in WAL mode: its log exists until the file is closed. SQLite holds no locks on the
 * log, which closing any handle of our process would release.
 */
export function writeAheadLog(databaseFile: string): WriteAheadLog {
  if (databaseFile === ':memory:') return { sync: async () => {}, close: async () => {} }
  // No FileHandle: garbage collection of an open one, of a database that was never closed, ends the process.
  let file: Promise<number> | null = null
  let running: Promise<void> = Promise.resolve()
  let next: Promise<void> | null = null

  async function syncOnce(): Promise<void> {
    try {
      file ??= openFile(`${databaseFile}-wal`, 'r')
      await syncFile(await file)
    } catch (cause) {
      await closeIt()
      // Nothing was written yet.
      if (codeOf(cause) === 'ENOENT') return
      throw new DatabaseUnavailableError('sqlite', cause)
    }
  }

  async function closeIt(): Promise<void> {
    const opened = await file?.catch(() => null)
    file = null
    if (opened !== null && opened !== undefined) await closeFile(opened)
  }

  return {
    sync() {
      next ??= running.then(() => {
        next = null
        const now = syncOnce()
        running = now.catch(() => undefined)
        return now
      })
      return next
    },
    async close() {
      await running
      await closeIt()
    },
  }
}

const openFile = promisify(open)
const syncFile = promisify(fdatasync)
const closeFile = promisify(close)
