import { setTimeout } from 'node:timers/promises'
import type { BlobStore } from '#blobs/blob-store.ts'
import { collectGarbage } from '#ingest/garbage.ts'
import type { Log } from '#observe/log.ts'
import type { Db } from '#store/database.ts'

/** Not at once: a start has better things to do than to read every snapshot. */
const firstAfterMs = 10 * 60 * 1000
const everyMs = 60 * 60 * 1000

interface KeepContext {
  readonly db: Db
  readonly blobs: BlobStore
  readonly log: Log
  readonly now: () => number
  readonly signal: AbortSignal
}

/** Removes stored bytes that nothing names any more, every hour until the signal ends it. */
export async function keepBlobs(context: KeepContext): Promise<void> {
  const { log, signal } = context
  const wait = (ms: number): Promise<void> =>
    // Rejects only when the signal ends the wait, which the loop sees by itself.
    setTimeout(ms, undefined, { signal }).catch(() => undefined)
  await wait(firstAfterMs)
  while (!signal.aborted) {
    try {
      await collectGarbage(context)
    } catch (error) {
      if (!signal.aborted) log.error('garbage not collected', { error })
    }
    await wait(everyMs)
  }
}
