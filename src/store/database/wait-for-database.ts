import { setTimeout } from 'node:timers/promises'
import type { Log } from '#observe/log.ts'
import { DatabaseUnavailableError } from './database-unavailable.ts'

export const databasePauseMsDefault = 5_000

interface WaitContext {
  readonly log: Log
  readonly signal: AbortSignal
  /** Before the next try. */
  readonly pauseMs?: number
}

/**
 * An error handler for loops (`everyOrWhenWoken`): logs an unavailable database and waits for `pauseMs` or until the signal
 * aborts. Throws any other error.
 */
export function waitForDatabase(
  loop: string,
  { log, signal, pauseMs = databasePauseMsDefault }: WaitContext,
): (error: unknown) => Promise<void> {
  return async (error) => {
    if (!(error instanceof DatabaseUnavailableError)) throw error
    log.warn(`${loop} waits for the database`, { error })
    await setTimeout(pauseMs, undefined, { signal }).catch(() => undefined)
  }
}
