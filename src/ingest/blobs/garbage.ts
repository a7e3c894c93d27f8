import type { BlobStore } from '#blobs/blob-store.ts'
import { yieldEventLoop } from '#concurrency/yield-event-loop.ts'
import type { WorkContext } from '#ingest/work-context.ts'
import { hashesNamedIn } from '#site/visit/named-hashes.ts'
import { chunksOf } from '#store/database/chunks.ts'
import type { Db } from '#store/database/database.ts'
import { listBlobHashes } from '#store/sites/blobs.ts'
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
} from '#store/sites/garbage.ts'
import { snapshotPages } from '#store/sites/versions.ts'

/** How long stored bytes stay after it was first seen that no snapshot names them. */
export const garbageKeptMs = 24 * 60 * 60 * 1000
/** A site that waits for longer to be read keeps nothing: what goes is fetched again if it ever can be. */
const queuedKeptMs = 7 * garbageKeptMs
/** Hashes in memory at once, of rows and again of files without a row. */
const hashesAtOnce = 100_000
/** Bytes that are removed in one transaction: others that write wait for it. */
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
 * Marks stored bytes that no snapshot names, and removes those that have been marked for a day, and for
 * longer than any job or queued site has waited: what such work names was claimed when it was found or
 * stored, after it began, and a mark that is on it since then is younger. Part by part of all hashes; the
 * next call goes on after the last part that was finished.
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
  // Asked first: work that begins later claims what it finds, and no mark is as old as that.
  const before = await markedBefore(context)
  const unnamed = new Set(await storedHashes(range, context))
  const lastVersion = await eachSnapshot('', context, (hashes) => {
    for (const hash of hashes) unnamed.delete(hash)
  })
  signal.throwIfAborted()
  await unmarkOthers(range, unnamed, db)
  await markGarbage(db, [...unnamed], now())
  context.at?.('garbage-marked')
  // Versions that went live meanwhile; ingest claims the blobs of later ones itself.
  await eachSnapshot(lastVersion, context, (hashes) => claimBlobs(db, hashes))
  return { marked: unnamed.size, removed: await sweep(range, before, context) }
}

/** Marks that are older may be acted on. */
async function markedBefore({ db, now }: GarbageContext): Promise<number> {
  const oldest = await oldestOpenWork(db, now() - queuedKeptMs)
  return Math.min(now() - garbageKeptMs, oldest ?? Number.POSITIVE_INFINITY)
}

/** The hashes that each snapshot names, after this version; returns the last one. */
async function eachSnapshot(
  afterVersion: string,
  { db, signal }: GarbageContext,
  tell: (hashes: string[]) => void | Promise<void>,
): Promise<string> {
  let last = afterVersion
  for await (const page of snapshotPages(db, { after: afterVersion })) {
    for (const { versionId, snapshot } of page) {
      await tell([...hashesNamedIn(snapshot)])
      last = versionId
    }
    if (signal.aborted) break
  }
  return last
}

/** The rows and the files of a range. */
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

/** What is named again, or is not here any more. */
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
