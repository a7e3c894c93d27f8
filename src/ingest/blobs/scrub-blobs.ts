import { setTimeout } from 'node:timers/promises'
import { type AfterPiece, BlobStorageError, type BlobStore } from '#blobs/blob-store.ts'
import type { WorkContext } from '#ingest/work-context.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { hashesNamedIn } from '#site/visit/named-hashes.ts'
import type { Db } from '#store/database/database.ts'
import { enqueueSites } from '#store/queues/enqueue.ts'
import {
  listBlobHashes,
  readScrubRound,
  type ScrubRound,
  saveScrubRound,
} from '#store/sites/blobs.ts'
import { lastHash } from '#store/sites/garbage.ts'
import { snapshotPages } from '#store/sites/versions.ts'

/** A small part of what the slowest disks do. */
const bytesPerSecondMax = 9_000_000
/** A minute's reading. With a minute between two calls, a round of 30 days takes 11 TB along. */
const bytesPerCallMax = 512 * 1024 * 1024
const hashesAtOnce = 100

interface ScrubContext extends WorkContext {
  readonly blobs: Pick<BlobStore, 'verify'>
  readonly bytesPerCallMax?: number
  readonly bytesPerSecondMax?: number
}

/** What a call has found so far. */
interface Found {
  readonly lost: Set<string>
  /** Neither read nor known to be lost; the next round has another try. */
  unread: number
  firstError: unknown
}

/**
 * Reads stored bytes again: so many that all are read once in `roundMs`, if this is called from time to time. Of what is
 * damaged or missing, the sites that name it are read from their owners' servers. Goes on where the last call, of
 * an earlier process too, has ended.
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
  if (lost.size > 0) await heal(lost, context)
  await saveScrubRound(db, round)
}

/** How many bytes were read of it; null when the signal has ended that. */
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
    // One file that nobody can read must not keep the others from being read.
    if (!(error instanceof BlobStorageError)) throw error
    found.unread++
    found.firstError ??= error
    return 0
  }
}

/** Waits until what was read is not more than the rate allows. Throws when the signal ends it. */
function paceOf(bytesPerSecond: number, signal: AbortSignal): AfterPiece {
  let dueAt = performance.now()
  return async (bytes) => {
    // Time that a slow disk has taken is not made up for.
    dueAt = Math.max(dueAt + (bytes / bytesPerSecond) * 1000, performance.now())
    await setTimeout(dueAt - performance.now(), undefined, { signal })
  }
}

function currentRound(round: ScrubRound | null, roundMs: number, now: number): ScrubRound {
  const isOver = round !== null && round.afterHash === lastHash && now - round.begunAt >= roundMs
  // A clock that was put back must not keep anything from being read.
  return round === null || isOver || round.begunAt > now ? { begunAt: now, afterHash: '' } : round
}

/** Hashes are spread evenly: this one has such a part of all before it. */
function hashAt(part: number): string {
  if (part >= 1) return lastHash
  const digits = 12
  return Math.floor(Math.max(part, 0) * 16 ** digits)
    .toString(16)
    .padStart(digits, '0')
    .padEnd(64, '0')
}

async function heal(lost: ReadonlySet<string>, context: ScrubContext) {
  const { db, log, signal } = context
  const sites = await sitesThatName(lost, db, signal)
  for (const { did, name } of sites) log.warn('blob lost, site queued', { did, site: name })
  await enqueueSites(context, sites)
}

/** Those whose live version does. */
async function sitesThatName(
  hashes: ReadonlySet<string>,
  db: Db,
  signal: AbortSignal,
): Promise<SiteAddress[]> {
  const sites: SiteAddress[] = []
  for await (const page of snapshotPages(db)) {
    for (const { did, name, replacedAt, snapshot } of page) {
      const isNamed = hashesNamedIn(snapshot).some((hash) => hashes.has(hash))
      if (replacedAt === null && isNamed) sites.push({ did, name })
    }
    if (signal.aborted) break
  }
  return sites
}
