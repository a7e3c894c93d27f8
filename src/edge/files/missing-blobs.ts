import { setTimeout } from 'node:timers/promises'
import type { BlobStore } from '#blobs/blob-store.ts'
import { TtlMap } from '#concurrency/lru-map.ts'
import { SingleFlight } from '#concurrency/single-flight.ts'
import type { Log } from '#observe/log.ts'
import { type SiteAddress, siteLabel } from '#site/site-address.ts'
import type { VersionKey } from '#site/version-key.ts'
import type { Db } from '#store/database/database.ts'
import type { WakeUps } from '#store/database/wake-ups.ts'
import { type EnqueueContext, enqueueSites, enqueueVersions } from '#store/queues/enqueue.ts'

const requestAgainMs = 10_000
const sitesMax = 2_000
const waitMs = 5_000
const pollMs = 100
const awaitedMax = 1_000

/** What a snapshot was made of: a site's record, or that of one of its versions. */
export interface SnapshotSource extends SiteAddress {
  readonly versionKey?: VersionKey | null
}

interface MissingContext {
  readonly db: Db
  readonly blobs: Pick<BlobStore, 'has'>
  readonly wakeUps: WakeUps
  readonly log: Log
  readonly now: () => number
  /** Monotonic milliseconds. */
  readonly elapsed: () => number
  readonly signal: AbortSignal
  /** Has ingest read the site or version; by default, by a work item. */
  readonly enqueue?: ((source: SnapshotSource) => Promise<unknown>) | undefined
}

/**
 * Blobs that visitors request and the store lacks. Asks ingest to fetch them from the owner's server, at most
 * every ten seconds per site or version; visitors wait up to five seconds for the verified blob.
 */
export class MissingBlobs {
  readonly #context: MissingContext
  /** A site evicted from this map may be requested again early. */
  readonly #askedAt: TtlMap<string, number>
  readonly #arrivals = new SingleFlight<string, boolean>()

  constructor(context: MissingContext) {
    this.#context = context
    this.#askedAt = new TtlMap({ max: sitesMax, ttlMs: requestAgainMs, now: context.elapsed })
  }

  /** Whether the blob arrives within the wait. Never rejects. */
  arrival(source: SnapshotSource, hash: string): Promise<boolean> {
    const isFull = this.#arrivals.size >= awaitedMax && !this.#arrivals.has(hash)
    if (isFull) return Promise.resolve(false)
    return this.#arrivals.run(hash, () => this.#await(source, hash))
  }

  /** Enqueues the site or version, unless that was done recently. Never rejects. */
  async ask(source: SnapshotSource): Promise<void> {
    const { elapsed, enqueue = enqueueIn(this.#context), log } = this.#context
    const { did, name, versionKey: key = null } = source
    const asked = keyOf(source)
    if (this.#askedAt.get(asked) !== undefined) return
    this.#askedAt.set(asked, elapsed())
    log.warn('blob missing', { did, site: name, ...(key !== null && { version: key }) })
    try {
      await enqueue(source)
    } catch (error) {
      log.error('blob request failed', { did, site: name, error })
    }
  }

  async #await(source: SnapshotSource, hash: string): Promise<boolean> {
    const { blobs, elapsed, log, signal } = this.#context
    await this.ask(source)
    const deadline = (this.#askedAt.get(keyOf(source)) ?? elapsed()) + waitMs
    try {
      while (elapsed() < deadline) {
        if (await blobs.has(hash)) return true
        await setTimeout(pollMs, undefined, { signal })
      }
    } catch (error) {
      if (!signal.aborted) log.error('blob lookup failed', { hash, error })
    }
    return false
  }
}

/** Adds a work item for the site or version. */
export const enqueueIn =
  (context: EnqueueContext) =>
  ({ did, name, versionKey: key = null }: SnapshotSource): Promise<number> =>
    key === null ? enqueueSites(context, [{ did, name }]) : enqueueVersions(context, [{ did, key }])

const keyOf = ({ did, name, versionKey }: SnapshotSource): string =>
  versionKey ? `${did}/${versionKey}` : siteLabel({ did, name })
