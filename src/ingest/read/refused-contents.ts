import { TtlMap } from '#concurrency/lru-map.ts'
import type { SiteLimits } from '#site/limits.ts'
import { blobKeyOf, blobKeyText } from '#site/record/blob-key.ts'
import type { SiteAddress } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import { findSite } from '#store/sites/sites.ts'
import type { SiteContent } from './read-site.ts'

const sitesMax = 50_000
/** A server that gave wrong bytes once is asked again after this time. */
const rememberMs = 60 * 60_000

/** Content of a site's records, and the limits that it is judged by. */
export interface JudgedContent {
  readonly site: SiteAddress
  readonly recordCid: string
  readonly content: SiteContent & { readonly ok: true }
  readonly limits: SiteLimits
}

/**
 * Remembers for an hour, in memory, which content of a site was refused after its blobs were fetched, so that repeated
 * events do not fetch and inflate the same blobs again. Other records, parts, settings or limits are other content.
 */
export class RefusedContents {
  /** Site → digest of the refused content. */
  readonly #refused: TtlMap<string, string>

  /** `elapsed` returns milliseconds of a monotonic clock. */
  constructor({ elapsed = () => performance.now() }: { readonly elapsed?: () => number } = {}) {
    this.#refused = new TtlMap({ max: sitesMax, ttlMs: rememberMs, now: elapsed })
  }

  remember(judged: JudgedContent): void {
    this.#refused.set(keyOf(judged.site), digestOf(judged))
  }

  /** The stored problems of this content; null if it was not refused, or they are no longer stored. */
  async problemsOf(judged: JudgedContent, db: Db): Promise<readonly string[] | null> {
    const { site, recordCid } = judged
    const known = this.#refused.get(keyOf(site))
    if (known === undefined || known !== digestOf(judged)) return null
    const refused = (await findSite(db, site))?.refused
    return refused?.recordCid === recordCid ? refused.problems : null
  }
}

const keyOf = ({ did, name }: SiteAddress): string => `${did}/${name}`

function digestOf({ recordCid, content, limits }: JudgedContent): string {
  const hasher = new Bun.CryptoHasher('sha256')
  hasher.update(JSON.stringify([recordCid, content.settings, limits]))
  for (const [path, node] of content.files) {
    hasher.update(
      JSON.stringify([path, blobKeyText(blobKeyOf(node)), node.blob.size, node.mimeType]),
    )
  }
  return hasher.digest('hex')
}
