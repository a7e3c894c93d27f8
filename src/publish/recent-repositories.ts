import { MemoryTier } from '#concurrency/memory-tier.ts'
import type { SiteAddress } from '#site/site-address.ts'
import type { RepositoryState } from './repository-state.ts'

/** A site of 10 000 files with a history counts as 40 MB. */
const bytesMax = 64 * 1024 * 1024
/** Of a value, as listings count them, and what was parsed of it. */
const bytesPerValue = 160
/** From the begin of a deploy of few files to its commit. */
const keptMsMax = 60_000

/**
 * What was read of repositories within the last minute, the latest of each account: a deploy, its job and its commit need
 * the same, and a repository whose head has not moved is the same.
 */
export class RecentRepositories {
  readonly #tier = new MemoryTier<{ readonly of: SiteAddress; readonly state: RepositoryState }>(
    bytesMax,
  )

  find({ did, name }: SiteAddress, head: string): RepositoryState | null {
    const known = this.#tier.use(this.#tier.find(did))
    return known?.of.name === name && known.state.head === head ? known.state : null
  }

  /** `values` as `listRecords` counts them. */
  keep(of: SiteAddress, state: RepositoryState, values: number): void {
    const kept = this.#tier.keep(of.did, { of, state }, values * bytesPerValue)
    const forget = (): void => {
      if (this.#tier.find(of.did) === kept) this.forget(of)
    }
    setTimeout(forget, keptMsMax).unref()
  }

  forget({ did }: Pick<SiteAddress, 'did'>): void {
    this.#tier.forget(did)
  }
}
