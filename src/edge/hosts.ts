import { siteLabel } from '#site/site-address.ts'
import type { Db } from '#store/database.ts'
import { findSiteByHost } from '#store/hosts.ts'
import { LoadingTier } from './loading-tier.ts'

const bytesMax = 16 * 1024 * 1024
/** About what one host takes in memory. */
const hostBytes = 512

/**
 * Which site a claimed name or a custom domain leads to, for the hosts that visitors asked for: some 32 000
 * of them. `followChanges` has them forgotten when that changes.
 */
export class Hosts {
  readonly #tier: LoadingTier<string>

  constructor({ db }: { db: Db }) {
    this.#tier = new LoadingTier(bytesMax, async (host) => {
      const site = await findSiteByHost(db, host)
      return site === null ? null : { value: siteLabel(site), bytes: hostBytes }
    })
  }

  /** The label of the site, at once when it is in memory. Null: it leads nowhere. */
  labelOf(host: string): string | Promise<string | null> {
    return this.#tier.get(host)
  }

  forget(host: string): void {
    this.#tier.forget(host)
  }

  forgetAll(): void {
    this.#tier.forgetAll()
  }
}
