import { LoadingTier } from '#concurrency/loading-tier.ts'
import type { TierStats } from '#concurrency/memory-tier.ts'
import type { Hosts } from '#edge/names/hosts.ts'
import type { Did } from '#site/site-address.ts'
import type { ChangeSubscriber } from '#store/database/change-feed.ts'
import { type LoadContext, loadSite } from './load-site.ts'
import { SiteInMemory } from './site-in-memory.ts'

/**
 * The visited sites by label: their live snapshots and the answers made of them. Bounded by their bytes in memory;
 * one owner's many sites do not evict other owners'. Follows the index within a second.
 */
export class Snapshots {
  readonly #tier: LoadingTier<SiteInMemory>

  constructor({ bytesMax, ...context }: LoadContext & { bytesMax: number }) {
    this.#tier = new LoadingTier(bytesMax, async (label) => {
      const loaded = await loadSite(label, context)
      if (loaded === null) return null
      const { primary } = loaded
      const grow = (bytes: number): void => this.#tier.grow(label, site, bytes)
      const site = new SiteInMemory(loaded.site, grow, primary)
      return { value: site, bytes: loaded.bytes, owner: site.site.snapshot.did }
    })
  }

  get stats(): TierStats {
    return this.#tier.stats
  }

  /** Synchronous when the site is in memory, else a single flight per label. Null: no such site. */
  get(label: string): SiteInMemory | Promise<SiteInMemory | null> {
    return this.#tier.get(label)
  }

  /** The owners of sites in memory that were visited since the last call. */
  takeVisited(): Did[] {
    const dids = new Set<Did>()
    for (const known of this.#tier.values()) {
      if (known.wasVisited) dids.add(known.site.snapshot.did)
      known.wasVisited = false
    }
    return [...dids]
  }

  forget(label: string): void {
    this.#tier.forget(label)
  }

  forgetAll(): void {
    this.#tier.forgetAll()
  }
}

interface EdgeMemory {
  readonly snapshots: Pick<Snapshots, 'forget' | 'forgetAll'>
  readonly hosts: Pick<Hosts, 'forget' | 'forgetAll'>
}

/** Invalidates changed sites. */
export function forgetChanged({ hosts, snapshots }: EdgeMemory): ChangeSubscriber {
  return {
    startAfresh() {
      snapshots.forgetAll()
      hosts.forgetAll()
    },
    follow(changes) {
      for (const change of changes) {
        if (change.kind === 'host') hosts.forget(change.host)
        else snapshots.forget(change.label)
      }
    },
  }
}
