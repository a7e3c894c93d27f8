import { LoadingTier } from '#concurrency/loading-tier.ts'
import type { Did } from '#site/site-address.ts'
import type { ChangeSubscriber } from '#store/database/change-feed.ts'
import { DatabaseUnavailableError } from '#store/database/database-unavailable.ts'
import { FormerSites } from './former-sites.ts'
import { type LoadContext, type LoadedSite, loadSite } from './load-site.ts'
import type { SiteShares } from './shares/site-shares.ts'
import { SiteInMemory } from './site-in-memory.ts'

interface SiteCacheOptions extends LoadContext {
  readonly bytesMax: number
  readonly elapsed?: () => number
  /** Left out: no limits, and nothing is counted. */
  readonly shares?: Pick<SiteShares, 'of'>
}

/** While the database is away, what has changed is asked for again so often, by the next visitor. */
const formerServedMs = 1_000

/**
 * The visited sites and versions by label: their snapshots and the answers made of them. Bounded by their bytes in memory;
 * one owner's many sites do not evict other owners'. Follows the index within a second; a new version that it
 * cannot read because the database is away leaves the one before it for a minute.
 */
export class SiteCache extends LoadingTier<SiteInMemory> {
  readonly #now: () => number
  readonly #formers: FormerSites
  /** How often a new version came. */
  #replaced = 0

  constructor({ bytesMax, elapsed, shares, ...context }: SiteCacheOptions) {
    const load = async (label: string) => {
      const loaded = await this.#load(label, context)
      if (loaded === null) return null
      const grow = (bytes: number): void => this.grow(label, site, bytes)
      const share = shares?.of(loaded.site.snapshot)
      const site = new SiteInMemory(loaded.site, grow, { ...loaded, ...(share && { share }) })
      return { value: site, bytes: loaded.bytes, owner: site.site.snapshot.did }
    }
    super(bytesMax, load, elapsed)
    this.#now = context.now
    this.#formers = new FormerSites(bytesMax, elapsed)
  }

  /** As `LoadingTier.get`; a preview is not served from the moment on at which it expires. */
  override get(label: string): SiteInMemory | Promise<SiteInMemory | null> {
    const known = super.get(label)
    if (known instanceof Promise || known.until === Infinity) return known
    if (this.#now() < known.until) return known
    super.forget(label)
    return super.get(label)
  }

  /** Nor is it served as it was: this may be a takedown. */
  override forget(label: string): void {
    super.forget(label)
    this.#formers.forget(label)
  }

  /** There is a new version, which takes nothing back. */
  replace(label: string): void {
    const { bytes = 0, value = null } = this.known(label) ?? {}
    if (value !== null) this.#formers.keep(label, value, bytes)
    this.#replaced += 1
    super.forget(label)
  }

  override forgetAll(): void {
    super.forgetAll()
    this.#formers.forgetAll()
  }

  async #load(label: string, context: LoadContext): Promise<LoadedSite | null> {
    try {
      const replaced = this.#replaced
      const loaded = await loadSite(label, context)
      // A load that a new version overtakes is not kept: the one before it stays what is known.
      if (replaced === this.#replaced) this.#formers.forget(label)
      return loaded
    } catch (error) {
      const former = error instanceof DatabaseUnavailableError ? this.#formers.find(label) : null
      if (former === null || former.site.until <= this.#now()) throw error
      const { canonical, site, until } = former.site
      const askAgainAt = this.#now() + formerServedMs
      return { site, canonical, bytes: former.bytes, until: Math.min(until, askAgainAt) }
    }
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
interface OfEdge
  extends Readonly<Record<'addresses' | 'gone' | 'hosts' | 'previews' | 'takedowns', Forgetful>> {
  readonly snapshots: Pick<SiteCache, 'forget' | 'forgetAll' | 'replace'>
}

/** Invalidates changed sites, versions and hosts. */
export function forgetChanged({
  addresses,
  hosts,
  gone,
  previews,
  snapshots,
  takedowns,
}: OfEdge): ChangeSubscriber {
  const byLabel = [gone, previews, takedowns]
  return {
    startAfresh() {
      for (const each of [addresses, hosts, snapshots, ...byLabel]) each.forgetAll()
    },
    follow(changes) {
      if (changes.some(({ kind }) => kind === 'site')) addresses.forgetAll()
      for (const change of changes) {
        if (change.kind === 'host') hosts.forget(change.host)
        if (change.kind !== 'site') continue
        for (const each of byLabel) each.forget(change.label)
        if (change.isNewVersion) snapshots.replace(change.label)
        else snapshots.forget(change.label)
      }
    },
  }
}
