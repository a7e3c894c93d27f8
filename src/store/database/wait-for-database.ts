import { setTimeout } from 'node:timers/promises'
import type { Log } from '#observe/log.ts'
import { DatabaseUnavailableError } from './database-unavailable.ts'

interface OutlastContext {
  readonly log: Log
  readonly signal: AbortSignal
  /** How long to wait for a database that is away before the next try. */
  readonly pauseMs?: number
}

/**
 * What a loop does with an error (`everyOrWhenWoken`): logs that the database is away, under the name `who`, and waits a moment
 * for it, or until the signal is aborted. Throws whatever else it gets.
 */
export function waitForDatabase(
  who: string,
  { log, signal, pauseMs = 5_000 }: OutlastContext,
): (error: unknown) => Promise<void> {
  return async (error) => {
    if (!(error instanceof DatabaseUnavailableError)) throw error
    log.warn(`${who} waits for the database`, { error })
    await setTimeout(pauseMs, undefined, { signal }).catch(() => undefined)
  }
}
