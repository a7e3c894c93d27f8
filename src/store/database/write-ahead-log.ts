import { close, fdatasync, open } from 'node:fs'
import { promisify } from 'node:util'
import { codeOf } from '#observe/code-of.ts'
import { DatabaseUnavailableError } from './database-unavailable.ts'

/** Makes commits durable that SQLite has written (`synchronous = normal`) and not waited for. */
export interface WriteAheadLog {
  /**
   * Resolves when what was committed before this call is on the disk. Who asks while it is busy is served
   * together with all others who do. Throws DatabaseUnavailableError.
   */
  sync(): Promise<void>
  close(): Promise<void>
}

/**
 * Of a database file that our own process has open and that is in WAL mode: until it is closed, nobody removes
 * its log. SQLite has no locks on that file, which would be lost with any handle of ours that is closed.
 */
export function writeAheadLog(databaseFile: string): WriteAheadLog {
  if (databaseFile === ':memory:') return { sync: async () => {}, close: async () => {} }
  // No FileHandle: one of a database that nobody closed would end the process when it is collected.
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
