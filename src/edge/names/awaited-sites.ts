import { siteLabel } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import { listAwaitedSites } from '#store/queues/queued.ts'

const readEveryMs = 1_000
const sitesMax = 1_000

/**
 * The labels of the latest thousand sites in ingest's queue, which may be here in a moment. Read at most once a
 * second, however many made-up names are visited.
 */
export class AwaitedSites {
  readonly #db: Db
  readonly #now: () => number
  #labels: Promise<ReadonlySet<string>> = Promise.resolve(new Set<string>())
  #readAt = Number.NEGATIVE_INFINITY

  constructor({ db, now }: { db: Db; now: () => number }) {
    this.#db = db
    this.#now = now
  }

  /** Rejects when the database is unavailable. */
  async has(label: string): Promise<boolean> {
    if (this.#now() - this.#readAt >= readEveryMs) {
      this.#readAt = this.#now()
      const sites = listAwaitedSites(this.#db, sitesMax)
      this.#labels = sites.then((awaited) => new Set(awaited.map(siteLabel)))
    }
    return (await this.#labels).has(label)
  }

  /** Makes the next `has` read the queue: a visitor is being redirected to a site that was just enqueued. */
  invalidate(): void {
    this.#readAt = Number.NEGATIVE_INFINITY
  }
}
