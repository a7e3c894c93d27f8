import type { BlobStore } from '#blobs/blob-store.ts'
import type { AtIngestPoint } from '#ingest/fail-points.ts'
import { collectGarbage } from '#ingest/garbage.ts'
import type { Log } from '#observe/log.ts'
import type { Db } from '#store/database.ts'
import { repeatEvery } from './repeat-every.ts'

/** Not at once: a start has better things to do than to read every snapshot. */
const firstAfterMs = 10 * 60 * 1000
const everyMs = 60 * 60 * 1000

interface KeepContext {
  readonly db: Db
  readonly blobs: BlobStore
  readonly log: Log
  readonly now: () => number
  readonly signal: AbortSignal
  readonly at?: AtIngestPoint
}

/** Removes stored bytes that nothing names any more, every hour until the signal ends it. */
export async function keepBlobs(context: KeepContext): Promise<void> {
  const rhythm = { everyMs, firstAfterMs, failure: 'garbage not collected' }
  await repeatEvery(rhythm, () => collectGarbage(context), context)
}
