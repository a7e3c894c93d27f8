import type { domainRoutes } from '#api/contract/domain.ts'
import type { PayloadAt } from '#api/contract/route.ts'
import { LruMap } from '#concurrency/lru-map.ts'
import type { ChangeSubscriber } from '#store/database/change-feed.ts'
import type { Change } from '#store/database/changes.ts'
import type { Db } from '#store/database/database.ts'
import type { WakeUpSubscription, WakeUps } from '#store/database/wake-ups.ts'
import { findRegisteredDomain } from '#store/names/custom-domains.ts'
import { findSubdomain } from '#store/names/subdomains.ts'

/** The owner of a name, and the site that it leads to. */
type Registration = PayloadAt<(typeof domainRoutes)['findRegistration'], 200>

/** Some 300 bytes each. */
const knownMax = 20_000

/**
 * LRU cache of the owners of names. Changes by this process are visible at once, those by others within a second.
 * Unclaimed names and unverified domains are not cached.
 */
export class Registrations implements ChangeSubscriber, Disposable {
  readonly #db: Db
  readonly #known = new LruMap<string, Registration>(knownMax)
  readonly #wakeUp: WakeUpSubscription
  /** No wake-up came before the changes were last read. */
  #isFresh = false
  #reads = 0

  constructor({ db, wakeUps }: { db: Db; wakeUps: WakeUps }) {
    this.#db = db
    this.#wakeUp = wakeUps.subscribe('changes')
  }

  /** `domain` in lower case and A-labels. */
  find(domain: string): Registration | null | Promise<Registration | null> {
    if (!this.#isUpToDate()) return this.#read(domain)
    return this.#known.get(domain) ?? this.#readAndKeep(domain)
  }

  startAfresh(): void {
    this.#known.clear()
  }

  /** Forgets what has changed. */
  follow(changes: readonly Change[]): void {
    for (const change of changes) if (change.kind === 'host') this.#known.delete(change.host)
    this.#reads += 1
    // A wake-up may have come after the rows were read: only a read without one is certain.
    this.#isFresh = !this.#wakeUp.take()
  }

  [Symbol.dispose](): void {
    this.#wakeUp[Symbol.dispose]()
  }

  #isUpToDate(): boolean {
    return this.#isFresh && !this.#wakeUp.isWoken
  }

  async #readAndKeep(domain: string): Promise<Registration | null> {
    const reads = this.#reads
    const found = await this.#read(domain)
    if (found === null || (found.type === 'custom' && !found.verified)) return found
    // The row may lack a change made while it was read.
    if (reads !== this.#reads || !this.#isUpToDate()) return found
    this.#known.set(domain, found)
    return found
  }

  async #read(domain: string): Promise<Registration | null> {
    const subdomain = await findSubdomain(this.#db, domain)
    if (subdomain !== null) {
      const { did, site } = subdomain
      return { registered: true, type: 'sitehost', domain, did, rkey: site ?? '' }
    }
    const custom = await findRegisteredDomain(this.#db, domain)
    if (custom === null) return null
    const { did, site, verified } = custom
    return { registered: true, type: 'custom', domain, did, rkey: site, verified }
  }
}
