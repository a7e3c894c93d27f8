import { setTimeout } from 'node:timers/promises'
import type { BlobStore } from '#blobs/blob-store.ts'
import { TtlMap } from '#concurrency/lru-map.ts'
import { SingleFlight } from '#concurrency/single-flight.ts'
import type { Log } from '#observe/log.ts'
import { type SiteAddress, siteLabel } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import type { WakeUps } from '#store/database/wake-ups.ts'
import { enqueueSites } from '#store/queues/enqueue.ts'

const askAgainMs = 10_000
const sitesMax = 2_000
const waitMs = 5_000
const lookAgainMs = 100
const awaitedMax = 1_000

interface MissingContext {
  readonly db: Db
  readonly blobs: Pick<BlobStore, 'has'>
  readonly wakeUps: WakeUps
  readonly log: Log
  readonly now: () => number
  /** Milliseconds that no change of the clock touches. */
  readonly elapsed: () => number
  readonly signal: AbortSignal
}

/**
 * Blobs that visitors miss. Ingest is asked to fetch them from the owner's server, a site once in ten
 * seconds however many visitors, and those wait up to five seconds for what is then here and verified.
 */
export class MissingBlobs {
  readonly #context: MissingContext
  /** One that had to go for others is asked for again a little early. */
  readonly #askedAt: TtlMap<string, number>
  readonly #arrivals = new SingleFlight<string, boolean>()

  constructor(context: MissingContext) {
    this.#context = context
    this.#askedAt = new TtlMap({ max: sitesMax, ttlMs: askAgainMs, now: context.elapsed })
  }

  /** Whether the blob came before it is no use to wait. Never rejects. */
  arrival(site: SiteAddress, hash: string): Promise<boolean> {
    const isFull = this.#arrivals.size >= awaitedMax && !this.#arrivals.has(hash)
    if (isFull) return Promise.resolve(false)
    return this.#arrivals.run(hash, () => this.#await(site, hash))
  }

  /** Has the site read again, unless that was asked for just now. Never rejects. */
  async ask({ did, name }: SiteAddress): Promise<void> {
    const { elapsed, log } = this.#context
    const label = siteLabel({ did, name })
    if (this.#askedAt.get(label) !== undefined) return
    this.#askedAt.set(label, elapsed())
    log.warn('blob missing', { did, site: name })
    try {
      await enqueueSites(this.#context, [{ did, name }])
    } catch (error) {
      log.error('cannot ask for a blob', { did, site: name, error })
    }
  }

  async #await(site: SiteAddress, hash: string): Promise<boolean> {
    const { blobs, elapsed, log, signal } = this.#context
    await this.ask(site)
    const deadline = (this.#askedAt.get(siteLabel(site)) ?? elapsed()) + waitMs
    try {
      while (elapsed() < deadline) {
        if (await blobs.has(hash)) return true
        await setTimeout(lookAgainMs, undefined, { signal })
      }
    } catch (error) {
      if (!signal.aborted) log.error('cannot look for a blob', { hash, error })
    }
    return false
  }
}
