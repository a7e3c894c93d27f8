import { FileAnswer } from '#edge/files/file-answer.ts'
import type { Decision } from '#site/visit/decision.ts'
import type { ListingKind } from '#site/visit/own-answers.ts'
import type { Place } from '#site/visit/place.ts'
import type { ServableSite } from '#site/visit/servable-site.ts'
import type { SnapshotFile } from '#site/visit/snapshot.ts'
import { type Listing, makeListing } from './listing-page.ts'
import type { LoadedSite } from './load-site.ts'
import type { OwnPages } from './pages.ts'
import type { SiteShare } from './shares/site-share.ts'
import { unlimitedShare } from './shares/unlimited-share.ts'

type FileDecision = Extract<Decision, { kind: 'file' }>
type ListingDecision = Extract<Decision, { kind: 'listing' }>

type MemoryFacts = Partial<Pick<LoadedSite, 'canonical' | 'until'>> & { readonly share?: SiteShare }

/** Approximate size in memory of an address and of a listing, without their strings. */
const addressBytes = 256
const listingBytes = 512

/** Addresses kept per file: its own and its folder's, on a few hosts. */
const addressesPerFile = 4

/**
 * One version of a site, and the answers made from it: at most one for each file and host, and two listings for each
 * directory, whatever visitors request.
 */
export class SiteInMemory {
  readonly site: ServableSite
  /** A visitor came since the flag was last read. */
  wasVisited = false
  /** The origin of the live site's primary address, or of a version's live site; null: it has no primary one. */
  readonly canonical: string | null
  /** Milliseconds since the epoch; not served from then on. */
  readonly until: number
  /** Of all versions of the site. */
  readonly share: SiteShare
  readonly #grow: (bytes: number) => void
  readonly #byHost = new Map<string, Map<SnapshotFile, FileAnswer>>()
  readonly #byAddress = new Map<string, FileAnswer>()
  readonly #listings: Readonly<Record<ListingKind, Map<string, Listing>>> = {
    page: new Map(),
    json: new Map(),
  }

  constructor(
    site: ServableSite,
    grow: (bytes: number) => void,
    { canonical, share, until }: MemoryFacts = {},
  ) {
    this.site = site
    this.canonical = canonical ?? null
    this.until = until ?? Number.POSITIVE_INFINITY
    this.share = share ?? unlimitedShare(site.snapshot)
    this.#grow = grow
  }

  /**
   * The answer to every GET and HEAD of this address; undefined: not decided yet. `address` is
   * `http://blog.example/a.html`, without port, query and fragment, which clients can make up.
   */
  answerAt(address: string): FileAnswer | undefined {
    return this.#byAddress.get(address)
  }

  /** Keeps the answer for `answerAt`, up to a limit of addresses. */
  remember(address: string, answer: FileAnswer): void {
    if (this.#byAddress.size >= this.site.files.size * addressesPerFile) return
    this.#byAddress.set(address, answer)
    this.#grow(addressBytes + address.length)
  }

  /** The answer to this decision; the last one if it is equal. */
  answerTo(decision: FileDecision, place: Place): FileAnswer {
    const answers = this.#answersOn(place.host)
    const known = answers.get(decision.file)
    if (known?.fits(decision, place.pathname)) return known
    const answer = new FileAnswer(this.site, decision, place)
    answers.set(decision.file, answer)
    this.#grow(answer.bytes - (known?.bytes ?? 0))
    return answer
  }

  /** The listing of this directory, made on first use. */
  listingOf(decision: ListingDecision, kind: ListingKind, pages: OwnPages): Listing {
    const { entries, path, status } = decision
    const listings = this.#listings[kind]
    const key = `${status} ${path}`
    const known = listings.get(key)
    if (known !== undefined) return known
    const listing = makeListing(kind, path, entries, pages, status === 200 ? './' : '/')
    listings.set(key, listing)
    this.#grow(listingBytes + key.length + listing.body.size)
    return listing
  }

  #answersOn(host: string): Map<SnapshotFile, FileAnswer> {
    const known = this.#byHost.get(host)
    if (known !== undefined) return known
    const answers = new Map<SnapshotFile, FileAnswer>()
    this.#byHost.set(host, answers)
    return answers
  }
}
