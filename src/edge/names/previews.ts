import { LoadingTier } from '#concurrency/loading-tier.ts'
import { type AliasedVersion, findPreviews, type SitePreviews } from '#store/sites/previews.ts'
import { findLiveOrigin, type OriginContext } from './live-origin.ts'

const bytesMax = 8 * 1024 * 1024
/** Approximate size in memory of a site, and of a version with its alias. */
const siteBytes = 512
const versionBytes = 256

interface PreviewsContext extends OriginContext {
  /** Monotonic milliseconds. */
  readonly elapsed?: () => number
}

/** The previews of visited sites, by the label of the site (`s--…`). `forgetChanged` invalidates changed sites. */
export class Previews extends LoadingTier<PreviewsOfSite> {
  constructor({ elapsed, ...context }: PreviewsContext) {
    const load = async (label: string) => {
      const found = await findPreviews(context.db, label)
      if (found === null) return null
      const value = new PreviewsOfSite(found, await findLiveOrigin(found.site, context))
      return { value, bytes: value.bytes, owner: found.site.did }
    }
    super(bytesMax, load, elapsed)
  }
}

export class PreviewsOfSite {
  /** Of the live site. */
  readonly origin: string
  readonly bytes: number
  readonly #byAlias: ReadonlyMap<string, readonly AliasedVersion[]>

  constructor({ versions }: SitePreviews, origin: string) {
    this.origin = origin
    this.#byAlias = Map.groupBy(versions, ({ alias }) => alias)
    this.bytes = siteBytes + versions.length * versionBytes
  }

  /** The label of the newest version with this alias; `expired`: there is none any more; null: the site has none. */
  find(alias: string, now: number): { readonly label: string } | 'expired' | null {
    const versions = this.#byAlias.get(alias)
    if (versions === undefined) return null
    const current = versions.find(
      ({ expiresAt, hasContent }) => hasContent && (expiresAt === null || now < expiresAt),
    )
    return current ?? 'expired'
  }
}
