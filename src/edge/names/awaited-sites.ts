import { siteLabel } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import { listAwaitedSites } from '#store/queues/queued.ts'

const lookAgainMs = 1_000
const sitesMax = 1_000

/**
 * The labels of sites that ingest was asked for: one that nobody can see yet may be here in a moment. Read
 * at most once a second, however many names are made up and asked for; of more than a thousand the latest.
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

  /** Rejects when the database is away. */
  async has(label: string): Promise<boolean> {
    if (this.#now() - this.#readAt >= lookAgainMs) {
      this.#readAt = this.#now()
      this.#labels = this.#read()
    }
    return (await this.#labels).has(label)
  }

  /** Sites were asked for just now that somebody is sent to: the next question is answered anew. */
  lookAgain(): void {
    this.#readAt = Number.NEGATIVE_INFINITY
  }

  async #read(): Promise<ReadonlySet<string>> {
    return new Set((await listAwaitedSites(this.#db, sitesMax)).map(siteLabel))
  }
}
