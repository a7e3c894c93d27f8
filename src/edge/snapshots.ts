import { LoadingTier } from '#concurrency/loading-tier.ts'
import type { Did } from '#site/site-address.ts'
import type { ChangeSubscriber } from '#store/database/change-feed.ts'
import { type LoadContext, loadSite } from './load-site.ts'
import { SiteInMemory } from './site-in-memory.ts'

/**
 * The visited sites by label: their live snapshots and the answers made of them. Bounded by their bytes in memory;
 * one owner's many sites do not evict other owners'. Follows the index within a second.
 */
export class Snapshots extends LoadingTier<SiteInMemory> {
  constructor({
    bytesMax,
    elapsed,
    ...context
  }: LoadContext & { bytesMax: number; elapsed?: () => number }) {
    const load = async (label: string) => {
      const loaded = await loadSite(label, context)
      if (loaded === null) return null
      const grow = (bytes: number): void => this.grow(label, site, bytes)
      const site = new SiteInMemory(loaded.site, grow, loaded.canonical)
      return { value: site, bytes: loaded.bytes, owner: site.site.snapshot.did }
    }
    super(bytesMax, load, elapsed)
  }

  /** The owners of sites in memory that were visited since the last call. */
  takeVisited(): Did[] {
    const dids = new Set<Did>()
    for (const known of this.values()) {
      if (known.wasVisited) dids.add(known.site.snapshot.did)
      known.wasVisited = false
    }
    return [...dids]
  }
}

type Forgetful = Pick<LoadingTier<unknown>, 'forget' | 'forgetAll'>

/** Invalidates changed sites and hosts. */
export function forgetChanged({
  hosts,
  snapshots,
  takedowns,
}: Record<'hosts' | 'snapshots' | 'takedowns', Forgetful>): ChangeSubscriber {
  return {
    startAfresh() {
      snapshots.forgetAll()
      hosts.forgetAll()
      takedowns.forgetAll()
    },
    follow(changes) {
      for (const change of changes) {
        if (change.kind === 'host') hosts.forget(change.host)
        else {
          snapshots.forget(change.label)
          takedowns.forget(change.label)
        }
      }
    },
  }
}
