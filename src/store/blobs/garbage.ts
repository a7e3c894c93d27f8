import type { RawBuilder } from 'kysely'
import { mapAtOnce } from '#concurrency/map-at-once.ts'
import { chunksOf } from '#store/database/chunks.ts'
import type { Db } from '#store/database/database.ts'
import { pagesOf } from '#store/database/pages.ts'
import { preparedForList } from '#store/database/prepared.ts'
import { inTransaction, limitIdleTime } from '#store/database/transaction.ts'

/** Removing took too long; the next pass removes the rest. */
class GarbageLateError extends Error {
  override readonly name = 'GarbageLateError'
}

/** The hashes after `after`, up to `upTo`. */
export interface HashRange {
  readonly after: string
  readonly upTo: string
}

/** Other writers wait for these, and a bucket takes a while. */
const removalsAtOnce = 16
const neverAborted = new AbortController().signal

/**
 * Later than this after its transaction began, no bytes are deleted: a process that was suspended meanwhile may have lost the
 * transaction, and with it the right to.
 */
const removalMsMax = 30_000

/** Sorts after every hash. */
export const lastHash = 'g'

/**
 * Unmarks stored bytes that a snapshot is about to name: they stay for at least as long as garbage is kept. Check for the
 * bytes after this, never before.
 */
export async function claimBlobs(db: Db, hashes: readonly string[]): Promise<void> {
  await deleteMarks(db, [...new Set(hashes)].sort())
}

const deleteMarks = preparedForList((db, hashes: readonly RawBuilder<string>[]) =>
  db.deleteFrom('garbage').where('hash', 'in', hashes),
)

/** Marks stored bytes that no snapshot names. A marked one keeps its time. */
export async function markGarbage(db: Db, hashes: readonly string[], now: number): Promise<void> {
  for (const chunk of chunksOf(hashes)) {
    await db
      .insertInto('garbage')
      .values(chunk.map((hash) => ({ hash, since: now })))
      .onConflict((conflict) => conflict.column('hash').doNothing())
      .execute()
  }
}

/** The marked hashes in their order, page by page; only those marked `before`, if given. */
export function garbagePages(
  db: Db,
  { after, upTo }: HashRange,
  { before = Number.MAX_SAFE_INTEGER, limit = 500 }: { before?: number; limit?: number } = {},
): AsyncGenerator<string[]> {
  const list = async (from: string): Promise<string[]> => {
    const rows = await db
      .selectFrom('garbage')
      .select('hash')
      .where('hash', '>', from)
      .where('hash', '<=', upTo)
      .where('since', '<', before)
      .orderBy('hash')
      .limit(limit)
      .execute()
    return rows.map(({ hash }) => hash)
  }
  return pagesOf(list, String, after)
}

/**
 * Calls `remove` for the hashes that are still marked and were marked `before` that time, forgets their blobs, and
 * returns them. A concurrent claim waits until the bytes are gone, and then finds them missing. If `remove` throws, or it takes
 * too long, all hashes stay marked.
 */
export function removeGarbage(
  db: Db,
  hashes: readonly string[],
  before: number,
  remove: (hash: string) => Promise<void>,
): Promise<string[]> {
  return inTransaction(db, async (transaction) => {
    await limitIdleTime(transaction, 2 * removalMsMax)
    const until = performance.now() + removalMsMax
    const removeInTime = async (hash: string): Promise<void> => {
      if (performance.now() > until) throw new GarbageLateError()
      await remove(hash)
    }
    const rows = await transaction
      .deleteFrom('garbage')
      .where('hash', 'in', hashes)
      .where('since', '<', before)
      .returning('hash')
      .execute()
    const removed = rows.map(({ hash }) => hash)
    for (const chunk of chunksOf(removed)) {
      await transaction.deleteFrom('blobs').where('hash', 'in', chunk).execute()
    }
    // Before the commit: until then no other transaction can find the blob or remember it again.
    await mapAtOnce(removed, { atOnce: removalsAtOnce, signal: neverAborted }, removeInTime)
    return removed
  })
}

/** The last hash that the walk over all hashes has checked; empty at the beginning. */
export async function readGarbageWalk(db: Db): Promise<string> {
  const row = await db.selectFrom('garbageWalk').select('afterHash').executeTakeFirst()
  return row?.afterHash ?? ''
}

export async function saveGarbageWalk(db: Db, afterHash: string): Promise<void> {
  await db
    .insertInto('garbageWalk')
    .values({ id: 1, afterHash })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ afterHash }))
    .execute()
}

/**
 * When the oldest unfinished work began that may name blobs which no snapshot names yet: a job, or a site or version that
 * was enqueued after `queuedAfter`. Null: there is none.
 */
export async function oldestOpenWork(db: Db, queuedAfter: number): Promise<number | null> {
  const job = await db
    .selectFrom('jobs')
    .select(({ fn }) => fn.min('createdAt').as('at'))
    .where('finishedAt', 'is', null)
    .executeTakeFirstOrThrow()
  const site = await db
    .selectFrom('workItems')
    .select(({ fn }) => fn.min('enqueuedAt').as('at'))
    .where('kind', 'in', ['site', 'version'])
    .where('enqueuedAt', '>', queuedAfter)
    .executeTakeFirstOrThrow()
  const times = [job.at, site.at].filter((at) => at !== null)
  return times.length === 0 ? null : Math.min(...times)
}
