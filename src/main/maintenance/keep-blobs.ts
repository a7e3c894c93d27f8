import type { DiskBlobStore } from '#blobs/disk.ts'
import { repeatEvery } from '#concurrency/every-or-when-woken.ts'
import { collectGarbage } from '#ingest/blobs/garbage.ts'
import { scrubBlobs } from '#ingest/blobs/scrub-blobs.ts'
import type { AtIngestPoint } from '#ingest/fail-points.ts'
import type { Log } from '#observe/log.ts'
import type { Db } from '#store/database/database.ts'
import type { Hints } from '#store/database/hints.ts'

/** Not at once: a start has better things to do than to read every snapshot. */
const firstAfterMs = 10 * 60 * 1000
const everyMs = 60 * 60 * 1000
const scrubEveryMs = 60 * 1000
const dayMs = 24 * everyMs

interface KeepContext {
  readonly db: Db
  readonly blobs: DiskBlobStore
  readonly hints: Hints
  readonly log: Log
  readonly now: () => number
  readonly signal: AbortSignal
  readonly at?: AtIngestPoint
}

/**
 * Until the signal ends it, hourly removes stored bytes that nothing names any more and what puts left behind that never
 * ended, and every minute reads some of the rest again: all of it within `scrubDays` (0: none).
 */
export async function keepBlobs(scrubDays: number, context: KeepContext): Promise<void> {
  const { blobs, now } = context
  const hourly = (failure: string, work: () => Promise<unknown>): Promise<void> =>
    repeatEvery({ everyMs, firstAfterMs, failure }, work, context)
  const scrub = { everyMs: scrubEveryMs, firstAfterMs, failure: 'stored bytes not read again' }
  await Promise.all([
    hourly('garbage not collected', () => collectGarbage(context)),
    hourly('temporary files not swept', () => blobs.sweep(now())),
    scrubDays > 0 && repeatEvery(scrub, () => scrubBlobs(scrubDays * dayMs, context), context),
  ])
}
