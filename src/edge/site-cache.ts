import { type Loaded, LoadingTier } from '#concurrency/loading-tier.ts'
import { withTimeout } from '#concurrency/or-aborted.ts'
import type { Did } from '#site/site-address.ts'
import type { ChangeSubscriber } from '#store/database/change-feed.ts'
import { DatabaseUnavailableError } from '#store/database/database-unavailable.ts'
import { type Former, FormerSites } from './former-sites.ts'
import { type LoadContext, type LoadedSite, loadSite } from './load-site.ts'
import type { SiteShares } from './shares/site-shares.ts'
import { SiteInMemory } from './site-in-memory.ts'

interface SiteCacheOptions extends LoadContext {
  readonly bytesMax: number
  readonly elapsed?: () => number
  /** Left out: no limits, and nothing is counted. */
  readonly shares?: Pick<SiteShares, 'of'>
  readonly newVersionMsMax?: number
}

/** While the database is away, what has changed is asked for again so often, by the next visitor. */
const formerServedMs = 1_000

/** How long a visitor waits for a new version while the one before it is in memory. */
const newVersionMsMax = 300

/**
 * The visited sites and versions by label: their snapshots and the answers made of them. Bounded by their bytes in memory;
 * one owner's many sites do not evict other owners'. Follows the index within a second. A new version that cannot be read
 * at once, because the database is slow or away, leaves the one before it for a minute.
 */
export class SiteCache extends LoadingTier<SiteInMemory> {
  readonly #context: LoadContext
  readonly #shares: SiteCacheOptions['shares']
  readonly #newVersionMsMax: number
  readonly #formers: FormerSites

  constructor({ bytesMax, elapsed, shares, ...options }: SiteCacheOptions) {
    super(bytesMax, (label, isCurrent) => this.#load(label, isCurrent), elapsed)
    this.#context = options
    this.#shares = shares
    this.#newVersionMsMax = options.newVersionMsMax ?? newVersionMsMax
    this.#formers = new FormerSites(bytesMax, elapsed)
  }

  /** As `LoadingTier.get`; a preview is not served from the moment on at which it expires. */
  override get(label: string): SiteInMemory | Promise<SiteInMemory | null> {
    const known = this.#getUnexpired(label)
    if (!(known instanceof Promise) || this.#formerOf(label) === null) return known
    const late = async () => this.#formerOf(label)?.site ?? (await known)
    return withTimeout(known, this.#newVersionMsMax, late)
  }

  #getUnexpired(label: string): SiteInMemory | Promise<SiteInMemory | null> {
    const known = super.get(label)
    if (known instanceof Promise || known.until === Infinity) return known
    if (this.#context.now() < known.until) return known
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
    super.forget(label)
  }

  override forgetAll(): void {
    super.forgetAll()
    this.#formers.forgetAll()
  }

  async #load(label: string, isCurrent: () => boolean): Promise<Loaded<SiteInMemory> | null> {
    const former = this.#formers.find(label)
    const read = await this.#read(label)
    if ('former' in read) return this.#inMemory(label, read.former)
    if (read.loaded === null) {
      if (isCurrent()) this.#formers.forget(label)
      return null
    }
    const made = this.#inMemory(label, read.loaded)
    // Also when a newer version overtakes it, now or before it is in memory: nobody who waited for this one sees an older one next.
    const isNewest = former !== null && this.#formers.find(label) === former
    if (isCurrent() || isNewest) this.#formers.keep(label, made.value, made.bytes)
    return made
  }

  /** While the database is away, as it was. */
  async #read(
    label: string,
  ): Promise<{ readonly loaded: LoadedSite | null } | { readonly former: LoadedSite }> {
    try {
      return { loaded: await loadSite(label, this.#context) }
    } catch (error) {
      const former = error instanceof DatabaseUnavailableError ? this.#formerOf(label) : null
      if (former === null) throw error
      const { bytes, site } = former
      const until = Math.min(site.until, this.#context.now() + formerServedMs)
      return { former: { site: site.site, canonical: site.canonical, bytes, until } }
    }
  }

  #formerOf(label: string): Former | null {
    const former = this.#formers.find(label)
    return former !== null && this.#context.now() < former.site.until ? former : null
  }

  #inMemory(label: string, loaded: LoadedSite): Loaded<SiteInMemory> {
    const { bytes, site } = loaded
    const grow = (more: number): void => this.grow(label, value, more)
    const share = this.#shares?.of(site.snapshot)
    const value = new SiteInMemory(site, grow, { ...loaded, ...(share && { share }) })
    return { value, bytes, owner: site.snapshot.did }
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
