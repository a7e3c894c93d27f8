import type { BlobStore } from '#blobs/blob-store.ts'
import { yieldEventLoop } from '#concurrency/yield-event-loop.ts'
import type { WorkContext } from '#ingest/work-context.ts'
import { hashesNamedIn } from '#site/visit/named-hashes.ts'
import { listBlobHashes } from '#store/blobs/blobs.ts'
import {
  claimBlobs,
  garbagePages,
  type HashRange,
  lastHash,
  markGarbage,
  oldestOpenWork,
  readGarbageWalk,
  removeGarbage,
  saveGarbageWalk,
} from '#store/blobs/garbage.ts'
import { chunksOf } from '#store/database/chunks.ts'
import type { Db } from '#store/database/database.ts'
import { snapshotPages } from '#store/sites/snapshot-pages.ts'

/** How long a blob stays stored after it was first found that no snapshot names it. */
export const garbageKeptMs = 24 * 60 * 60 * 1000
/** A site that has been queued for longer keeps no blobs: they are fetched again if it is ever read. */
const queuedKeptMs = 7 * garbageKeptMs
/** Hashes in memory: of rows, and as many of files without a row. */
const hashesAtOnce = 100_000
/** Blobs that are removed in one transaction, for which other writers wait. */
const removedAtOnce = 50

interface GarbageContext extends Omit<WorkContext, 'wakeUps'> {
  readonly blobs: Pick<BlobStore, 'list' | 'delete'>
  readonly hashesAtOnce?: number
}

export interface GarbageCount {
  readonly marked: number
  readonly removed: number
}

/**
 * Marks blobs that no snapshot names, and removes those that have been marked for a day and for longer than any job or
 * queued site has waited: such work claims the blobs that it finds or stores, so a later mark on them is younger.
 * Works range by range of the hashes; the next call continues after the last finished range.
 */
export async function collectGarbage(context: GarbageContext): Promise<GarbageCount> {
  const { db, log, now, signal } = context
  let count: GarbageCount = { marked: 0, removed: 0 }
  let after = await readGarbageWalk(db)
  do {
    const range = await rangeAfter(after, context)
    const found = await collectRange(range, context)
    count = { marked: count.marked + found.marked, removed: count.removed + found.removed }
    after = range.upTo === lastHash ? '' : range.upTo
    await saveGarbageWalk(db, after)
  } while (after !== '' && !signal.aborted)
  if (count.removed > 0) log.info('garbage removed', { ...count, at: now() })
  return count
}

async function rangeAfter(after: string, { db, ...context }: GarbageContext): Promise<HashRange> {
  const limit = context.hashesAtOnce ?? hashesAtOnce
  const rows = await listBlobHashes(db, { after, limit })
  return { after, upTo: rows.length < limit ? lastHash : (rows.at(-1) ?? lastHash) }
}

async function collectRange(range: HashRange, context: GarbageContext): Promise<GarbageCount> {
  const { db, now, signal } = context
  // Read first: work that begins later claims what it finds, so its blobs have no mark as old as this.
  const before = await markedBefore(context)
  const unnamed = new Set(await storedHashes(range, context))
  const lastId = await eachSnapshot('', context, (hashes) => {
    for (const hash of hashes) unnamed.delete(hash)
  })
  signal.throwIfAborted()
  await unmarkOthers(range, unnamed, db)
  await markGarbage(db, [...unnamed], now())
  context.at?.('garbage-marked')
  // Versions that went live meanwhile; for later ones, ingest claims the blobs.
  await eachSnapshot(lastId, context, (hashes) => claimBlobs(db, hashes))
  return { marked: unnamed.size, removed: await sweep(range, before, context) }
}

/** Blobs with older marks may be removed. */
async function markedBefore({ db, now }: GarbageContext): Promise<number> {
  const oldest = await oldestOpenWork(db, now() - queuedKeptMs)
  return Math.min(now() - garbageKeptMs, oldest ?? Number.POSITIVE_INFINITY)
}

/** Calls `onHashes` with the hashes of each snapshot after this one; returns the last one's id. */
async function eachSnapshot(
  afterId: string,
  { db, signal }: GarbageContext,
  onHashes: (hashes: string[]) => void | Promise<void>,
): Promise<string> {
  let last = afterId
  for await (const page of snapshotPages(db, { after: afterId })) {
    for (const { id, snapshot } of page) {
      await onHashes([...hashesNamedIn(snapshot)])
      last = id
    }
    if (signal.aborted) break
  }
  return last
}

/** Hashes of the range that have a row or a file. */
async function storedHashes(
  { after, upTo }: HashRange,
  context: GarbageContext,
): Promise<string[]> {
  const limit = context.hashesAtOnce ?? hashesAtOnce
  const rows = await listBlobHashes(context.db, { after, limit })
  const hashes = new Set(rows)
  for await (const hash of context.blobs.list()) {
    // The next batch follows when these are deleted.
    if (hashes.size >= 2 * limit) break
    if (hash > after && hash <= upTo) hashes.add(hash)
  }
  return [...hashes].filter((hash) => hash <= upTo)
}

/** Removes the marks of blobs that are named again or no longer stored. */
async function unmarkOthers(range: HashRange, unnamed: ReadonlySet<string>, db: Db): Promise<void> {
  for await (const marked of garbagePages(db, range)) {
    await claimBlobs(
      db,
      marked.filter((hash) => !unnamed.has(hash)),
    )
  }
}

async function sweep(
  range: HashRange,
  before: number,
  { at, db, blobs, signal }: GarbageContext,
): Promise<number> {
  const remove = async (hash: string): Promise<void> => {
    await blobs.delete(hash)
    at?.('garbage-deleted')
  }
  let removed = 0
  for await (const due of garbagePages(db, range, { before })) {
    if (signal.aborted) break
    for (const some of chunksOf(due, removedAtOnce)) {
      const gone = await removeGarbage(db, some, before, remove)
      at?.('garbage-removed')
      removed += gone.length
      await yieldEventLoop()
    }
  }
  return removed
}
