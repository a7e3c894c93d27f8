import { MemoryTier } from '#concurrency/memory-tier.ts'
import type { SiteInMemory } from './site-in-memory.ts'

/** For how long a site is served as it was, after a new version that could not be read. */
const formerMsMax = 60_000
/** Of the memory for sites. */
const bytesShare = 8

export interface Former {
  readonly site: SiteInMemory
  readonly bytes: number
  readonly changedAt: number
}

/** Sites as they were before a new version, for visitors who come when the database is away and does not say what they are now. */
export class FormerSites {
  readonly #tier: MemoryTier<Former>
  readonly #elapsed: () => number

  constructor(sitesBytesMax: number, elapsed: () => number = () => performance.now()) {
    this.#tier = new MemoryTier(sitesBytesMax / bytesShare)
    this.#elapsed = elapsed
  }

  /** Not again when it is this one, served once more: its minute goes on. */
  keep(label: string, site: SiteInMemory, bytes: number): void {
    if (this.find(label)?.site.site === site.site) return
    const former = { site, bytes, changedAt: this.#elapsed() }
    this.#tier.keep(label, former, bytes, site.site.snapshot.did)
  }

  find(label: string): Former | null {
    const former = this.#tier.find(label)?.value ?? null
    return former !== null && this.#elapsed() - former.changedAt < formerMsMax ? former : null
  }

  forget(label: string): void {
    this.#tier.forget(label)
  }

  forgetAll(): void {
    this.#tier.forgetAll()
  }
}
