import { ExpiringTier } from '#concurrency/expiring-tier.ts'
import type { SiteAddress } from '#site/site-address.ts'
import type { RepositoryState } from './repository-state.ts'

/** A site of 10 000 files with a history counts as 40 MB. */
const bytesMaxDefault = 64 * 1024 * 1024
/** Of a value, as listings count them, and what was parsed of it. */
const bytesPerValue = 160
/** Our records have a value in 14 bytes of JSON. */
const bytesPerJsonByte = 12
/** From the begin of a deploy of few files to its commit, and from there to the next one. */
const ttlMs = 60_000

interface Recent {
  readonly of: SiteAddress
  readonly state: RepositoryState
  readonly bytes: number
}

/**
 * What is known of repositories, for a minute after it was read or written, the latest of each account: a deploy, its job,
 * its commit and the next deploy need the same, and a repository whose head has not moved is the same.
 */
export class RecentRepositories {
  readonly #tier: ExpiringTier<Recent>

  constructor({ bytesMax = bytesMaxDefault }: { readonly bytesMax?: number } = {}) {
    this.#tier = new ExpiringTier<Recent>({ bytesMax, ttlMs })
  }

  find({ did, name }: SiteAddress, head: string): RepositoryState | null {
    const known = this.#tier.get(did)
    return known?.of.name === name && known.state.head === head ? known.state : null
  }

  /** `values` as `listRecords` counts them. */
  keep(of: SiteAddress, state: RepositoryState, values: number): void {
    this.#keep({ of, state, bytes: values * bytesPerValue })
  }

  /**
   * Keeps `after`, with so much more JSON, in place of `before`; nothing if that is not what is kept, or if `after` is null,
   * not known.
   */
  replace(
    of: SiteAddress,
    before: RepositoryState,
    after: RepositoryState | null,
    jsonBytes: number,
  ): void {
    const known = this.#tier.get(of.did)
    this.forget(of)
    if (known?.state !== before || after === null) return
    this.#keep({ of, state: after, bytes: known.bytes + jsonBytes * bytesPerJsonByte })
  }

  forget({ did }: Pick<SiteAddress, 'did'>): void {
    this.#tier.delete(did)
  }

  #keep(recent: Recent): void {
    this.#tier.set(recent.of.did, recent, { bytes: recent.bytes, owner: recent.of.did })
  }
}
