import { setTimeout } from 'node:timers/promises'
import { sessionIdleMs } from '#api/sessions.ts'
import type { Log } from '#observe/log.ts'
import { replacedVersionMs } from '#site/limits.ts'
import { deleteExpiredBrowserSessions } from '#store/browser-sessions.ts'
import { pruneChanges } from '#store/changes.ts'
import type { Db } from '#store/database.ts'
import { deleteJobsFinishedBefore } from '#store/jobs.ts'
import { deleteExpiredSealed } from '#store/sealed-rows.ts'
import { deleteUploadedBlobsBefore } from '#store/uploaded-blobs.ts'
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
    // Rejects only when the signal ends the wait, which the loop sees by itself.
    await setTimeout(everyMs, undefined, { signal }).catch(() => undefined)
  }
}

async function sweepRows(db: Db, now: number): Promise<void> {
  await deleteExpiredBrowserSessions(db, { now, idleMs: sessionIdleMs })
  await deleteExpiredSealed(db, now)
  await deleteJobsFinishedBefore(db, now - dayMs)
  await dropReplacedSnapshots(db, now - replacedVersionMs)
  await pruneChanges(db, now - dayMs)
  await deleteUploadedBlobsBefore(db, now - dayMs)
}
