import { setTimeout } from 'node:timers/promises'
import type { Log } from '#observe/log.ts'
import { DatabaseUnavailableError } from './database-unavailable.ts'

interface OutlastContext {
  readonly log: Log
  readonly signal: AbortSignal
  /** How long to wait for a database that is away before `work` is tried again. */
  readonly pauseMs?: number
}

/**
 * Repeats `work` until the signal ends it. A database that is away is logged and waited for, under the
 * name `who`; whatever else `work` throws is thrown.
 */
export async function outlastDatabase(
  who: string,
  work: () => Promise<void>,
  { log, signal, pauseMs = 5_000 }: OutlastContext,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError)) throw error
      log.warn(`${who} waits for the database`, { error })
      await setTimeout(pauseMs, undefined, { signal }).catch(() => undefined)
    }
  }
}
