import { setTimeout } from 'node:timers/promises'
import { type AfterPiece, BlobStorageError, type BlobStore } from '#blobs/blob-store.ts'
import type { WorkContext } from '#ingest/work-context.ts'
import { hashesNamedIn } from '#site/visit/named-hashes.ts'
import {
  listBlobHashes,
  readScrubRound,
  type ScrubRound,
  saveScrubRound,
} from '#store/blobs/blobs.ts'
import { lastHash } from '#store/blobs/garbage.ts'
import { enqueueSites, enqueueVersions } from '#store/queues/enqueue.ts'
import { snapshotPages } from '#store/sites/snapshot-pages.ts'

/** A small part of what the slowest disks can read. */
const bytesPerSecondMax = 9_000_000
/** One minute of reading. With a minute between calls, a round of 30 days covers 11 TB. */
const bytesPerCallMax = 512 * 1024 * 1024
const hashesAtOnce = 100

interface ScrubContext extends WorkContext {
  readonly blobs: Pick<BlobStore, 'verify'>
  readonly bytesPerCallMax?: number
  readonly bytesPerSecondMax?: number
}

/** Results of a call so far. */
interface Found {
  readonly lost: Set<string>
  /** Neither read nor known to be lost; the next round retries. */
  unread: number
  firstError: unknown
}

/**
 * Verifies stored blobs again: as many per call as it takes to verify all of them once in `roundMs`. Enqueues the sites
 * and versions that name a damaged or missing blob. Continues where the last call ended, even one of an earlier process.
 */
export async function scrubBlobs(roundMs: number, context: ScrubContext): Promise<void> {
  const { db, now, signal } = context
  let round = currentRound(await readScrubRound(db), roundMs, now())
  const upTo = hashAt((now() - round.begunAt) / roundMs)
  let leftBytes = context.bytesPerCallMax ?? bytesPerCallMax
  const found: Found = { lost: new Set(), unread: 0, firstError: null }
  const pause = paceOf(context.bytesPerSecondMax ?? bytesPerSecondMax, signal)
  while (leftBytes > 0 && round.afterHash < upTo && !signal.aborted) {
    const page = await listBlobHashes(db, { after: round.afterHash, limit: hashesAtOnce })
    const due = page.filter((hash) => hash <= upTo)
    for (const hash of due) {
      if (leftBytes <= 0 || signal.aborted) break
      const bytes = await readAgain(hash, found, pause, context)
      if (bytes === null) break
      leftBytes -= bytes
      round = { ...round, afterHash: hash }
    }
    const isAtEnd = page.length < hashesAtOnce || due.length < page.length
    if (isAtEnd && leftBytes > 0 && !signal.aborted) round = { ...round, afterHash: upTo }
  }
  const { firstError, lost, unread } = found
  if (unread > 0) context.log.error('blob scrub failed', { blobs: unread, error: firstError })
  if (lost.size > 0) await enqueueSitesOf(lost, context)
  await saveScrubRound(db, round)
}

/** Returns the number of bytes read; null when the signal was aborted. */
async function readAgain(
  hash: string,
  found: Found,
  pause: AfterPiece,
  { blobs, signal }: ScrubContext,
): Promise<number | null> {
  try {
    const { bytes, isIntact } = await blobs.verify(hash, pause)
    if (!isIntact) found.lost.add(hash)
    return bytes
  } catch (error) {
    if (signal.aborted) return null
    // One unreadable file must not keep the others from being verified.
    if (!(error instanceof BlobStorageError)) throw error
    found.unread++
    found.firstError ??= error
    return 0
  }
}

/** Waits until the rate permits more. Throws when the signal is aborted. */
function paceOf(bytesPerSecond: number, signal: AbortSignal): AfterPiece {
  let dueAt = performance.now()
  return async (bytes) => {
    const now = performance.now()
    // A slow disk does not have to catch up later.
    dueAt = Math.max(dueAt + (bytes / bytesPerSecond) * 1000, now)
    await setTimeout(dueAt - now, undefined, { signal })
  }
}

function currentRound(round: ScrubRound | null, roundMs: number, now: number): ScrubRound {
  const isOver = round !== null && round.afterHash === lastHash && now - round.begunAt >= roundMs
  // A clock that was set back must not stop the scrub.
  return round === null || isOver || round.begunAt > now ? { begunAt: now, afterHash: '' } : round
}

/** The hash below which this part of all hashes lies: hashes are distributed evenly. */
function hashAt(part: number): string {
  if (part >= 1) return lastHash
  const digits = 12
  return Math.floor(Math.max(part, 0) * 16 ** digits)
    .toString(16)
    .padStart(digits, '0')
    .padEnd(64, '0')
}

/** Enqueues the sites whose live version names one of these blobs, and the version records that do. */
async function enqueueSitesOf(lost: ReadonlySet<string>, context: ScrubContext): Promise<void> {
  const { db, log, signal } = context
  for await (const page of snapshotPages(db)) {
    const naming = page.filter(
      ({ replacedAt, snapshot }) =>
        replacedAt === null && hashesNamedIn(snapshot).some((hash) => lost.has(hash)),
    )
    const sites = naming.filter(({ key }) => key === null)
    for (const { did, name } of sites) log.warn('blob lost, site queued', { did, site: name })
    await enqueueSites(context, sites)
    const versions = naming.flatMap(({ did, key }) => (key === null ? [] : { did, key }))
    for (const { did, key } of versions) log.warn('blob lost, version queued', { did, key })
    await enqueueVersions(context, versions)
    if (signal.aborted) break
  }
}
