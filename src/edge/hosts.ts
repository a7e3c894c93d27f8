import { siteLabel } from '#site/site-address.ts'
import type { Db } from '#store/database.ts'
import { findSiteByHost } from '#store/hosts.ts'
import { MemoryTier } from './memory-tier.ts'

const bytesMax = 16 * 1024 * 1024
/** About what one host takes in memory. */
const hostBytes = 512

/**
 * Which site a claimed name or a custom domain leads to, for the hosts that visitors asked for: some 32 000
 * of them. `followChanges` has them forgotten when that changes.
 */
export class Hosts {
  readonly #db: Db
  readonly #tier = new MemoryTier<string>(bytesMax)
  readonly #loading = new Map<string, Promise<string | null>>()

  constructor({ db }: { db: Db }) {
    this.#db = db
  }

  /** The label of the site: at once when it is in memory, else one look a host. Null: it leads nowhere. */
  labelOf(host: string): string | Promise<string | null> {
    const known = this.#tier.use(this.#tier.find(host))
    return known ?? this.#loading.get(host) ?? this.#look(host)
  }

  forget(host: string): void {
    this.#loading.delete(host)
    this.#tier.forget(host)
  }

  forgetAll(): void {
    this.#loading.clear()
    this.#tier.forgetAll()
  }

  #look(host: string): Promise<string | null> {
    const loading = findSiteByHost(this.#db, host)
      .then((site) => {
        const label = site === null ? null : siteLabel(site)
        // Nowhere is not kept: there is no end of hosts that lead there. Nor is what was forgotten meanwhile.
        if (label !== null && this.#loading.get(host) === loading) {
          this.#tier.keep(host, label, hostBytes)
        }
        return label
      })
      .finally(() => {
        if (this.#loading.get(host) === loading) this.#loading.delete(host)
      })
    this.#loading.set(host, loading)
    return loading
  }
}
