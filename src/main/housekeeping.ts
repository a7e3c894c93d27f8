import { sessionIdleMs } from '#api/sessions.ts'
import type { Log } from '#observe/log.ts'
import { deleteExpiredBrowserSessions } from '#store/browser-sessions.ts'
import { pruneChanges } from '#store/changes.ts'
import type { Db } from '#store/database.ts'
import { deleteJobsFinishedBefore } from '#store/jobs.ts'
import { deleteExpiredSealed } from '#store/sealed-rows.ts'
import { dropReplacedSnapshots } from '#store/versions.ts'

const everyMs = 60 * 60 * 1000
const dayMs = 24 * everyMs

interface HouseContext {
  readonly db: Db
  readonly log: Log
  readonly now: () => number
  readonly signal: AbortSignal
}

/** Deletes, every hour until the signal ends it, the rows that nobody may need any more. */
export async function keepHouse({ db, log, now, signal }: HouseContext): Promise<void> {
  while (!signal.aborted) {
    try {
      await sweepRows(db, now())
    } catch (error) {
      log.error('housekeeping failed', { error })
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, everyMs)
    signal.addEventListener('abort', () => resolve(), { once: true })
    await promise
    clearTimeout(timer)
  }
}

async function sweepRows(db: Db, now: number): Promise<void> {
  await deleteExpiredBrowserSessions(db, { now, idleMs: sessionIdleMs })
  await deleteExpiredSealed(db, now)
  await deleteJobsFinishedBefore(db, now - dayMs)
  await dropReplacedSnapshots(db, now - dayMs)
  await pruneChanges(db, now - dayMs)
}
