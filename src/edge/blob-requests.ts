import type { Log } from '#observe/log.ts'
import { type SiteAddress, siteLabel } from '#site/site-address.ts'
import type { Db } from '#store/database.ts'
import type { Hints } from '#store/hints.ts'
import { enqueueIngest } from '#store/ingest-queue.ts'

const askAgainMs = 10_000
const sitesMax = 1_000

interface RequestContext {
  readonly db: Db
  readonly hints: Hints
  readonly log: Log
  readonly now: () => number
}

/** Asks ingest for blobs that visitors miss: however many visitors, a site once in ten seconds. */
export class BlobRequests {
  readonly #context: RequestContext
  /** The latest last; one that had to go for others is asked for again a little early. */
  readonly #askedAt = new Map<string, number>()

  constructor(context: RequestContext) {
    this.#context = context
  }

  /** Never rejects: the next visitor asks again. */
  async ask({ did, name }: SiteAddress): Promise<void> {
    const { db, hints, log, now } = this.#context
    if (!this.#isDue(siteLabel({ did, name }), now())) return
    log.warn('blob missing', { did, site: name })
    try {
      await enqueueIngest(db, [{ did, name }], now())
      hints.notify('ingest')
    } catch (error) {
      log.error('cannot ask for a blob', { did, site: name, error })
    }
  }

  #isDue(label: string, now: number): boolean {
    if (now - (this.#askedAt.get(label) ?? Number.NEGATIVE_INFINITY) < askAgainMs) return false
    this.#askedAt.delete(label)
    this.#askedAt.set(label, now)
    const [oldest] = this.#askedAt.keys()
    if (this.#askedAt.size > sitesMax && oldest !== undefined) this.#askedAt.delete(oldest)
    return true
  }
}
