import { canonicalHost } from '#edge/names/route.ts'
import type { UtcDay } from '#site/utc-day.ts'
import { VisitorSketch } from '#site/visitor-sketch.ts'
import type { SiteVisits } from '#store/sites/visits.ts'
import type { NameQuota } from './name-quota.ts'

/** Names that are counted of a site on one day; the others are one row together. */
const pagesMax = 200
const referrersMax = 50
const countriesMax = 250

/** The same of all sites in this process, some 20 MB. */
export const namesMax = 100_000

/** The same of one account's sites: without it, one account could use up everybody's names. */
export const accountNamesMax = 2_000

/** A page, or part of one, as its visits are counted. */
export interface CountedPage {
  /** Of its file, without the name of an index file: `/blog/`. */
  readonly path: string
  /** That it is answered on: links from there are no referrers. */
  readonly host: string
}

/** Who asks for a page, as far as it tells visitors from each other. */
export interface Visitor {
  /** As `clientNetworkOf` makes it. */
  readonly network: string
  readonly userAgent: string
  /** As a trusted front says, in upper case (ISO 3166-1 alpha-2); null: not known. */
  readonly country: string | null
}

/** Of a name: to add to it takes one look-up in a map, to write a number there two. */
class Counter {
  count = 0
}

const statusClasses = ['', '1xx', '2xx', '3xx', '4xx', '5xx']

/** Of a user agent. */
const hashedCharsMax = 256

export type VisitCount = Pick<SiteVisits, 'kind' | 'value' | 'count'>

/** What bounds a site's names: those of all sites in this process, and of its account. */
export type NameQuotas = readonly NameQuota[]

/**
 * The visits of a site since they were saved, and their names since midnight. Of a visitor nothing is kept but what a `VisitorSketch` keeps of
 * a hash, until it is saved.
 */
export class VisitCounts {
  readonly #quotas: NameQuotas
  readonly #byKind = {
    page: new Map<string, Counter>(),
    referrer: new Map<string, Counter>(),
    country: new Map<string, Counter>(),
    status: new Map(statusClasses.map((name) => [name, new Counter()])),
  }
  /** By the first digit: each answer counts here, and a look-up in a map takes longer than the rest of it. */
  readonly #statuses = [...this.#byKind.status.values()]
  #day: UtcDay
  #visitors: VisitorSketch | null = null

  constructor(day: UtcDay, quotas: NameQuotas) {
    this.#day = day
    this.#quotas = quotas
  }

  countStatus(status: number): void {
    const counter = this.#statuses[Math.floor(status / 100)] ?? this.#statuses[0]
    if (counter !== undefined) counter.count++
  }

  countPage({ host, path }: CountedPage, referrer: string | null): void {
    this.#count(this.#byKind.page, path, pagesMax)
    const from = referrer === null ? null : referrerHost(referrer, host)
    if (from !== null) this.#count(this.#byKind.referrer, from, referrersMax)
  }

  /** Counts who views a page. `salt`: of the day. */
  countVisitor({ country, network, userAgent }: Visitor, salt: string): void {
    const hash = Bun.hash.wyhash(`${salt}${network} ${userAgent.slice(0, hashedCharsMax)}`)
    this.#visitors ??= new VisitorSketch()
    this.#visitors.add(Number(hash & 0xffffffffn))
    if (country !== null) this.#count(this.#byKind.country, country, countriesMax)
  }

  /** Who came since the last call; null: nobody. */
  takeVisitors(): VisitorSketch | null {
    const taken = this.#visitors
    this.#visitors = null
    return taken
  }

  /** What was counted since the last call. Names of another day are forgotten. */
  take(day: UtcDay): VisitCount[] {
    const taken: VisitCount[] = []
    for (const kind of ['page', 'referrer', 'country', 'status'] as const) {
      const counts = this.#byKind[kind]
      for (const [value, counter] of counts) {
        const { count } = counter
        if (count === 0) continue
        taken.push({ kind, value, count })
        counter.count = 0
      }
      if (day !== this.#day && kind !== 'status') counts.clear()
    }
    this.#day = day
    return taken
  }

  putBack(taken: readonly VisitCount[], visitors: VisitorSketch | null = null): void {
    for (const { count, kind, value } of taken) {
      counterOf(this.#byKind[kind], value).count += count
    }
    if (visitors !== null) {
      this.#visitors ??= new VisitorSketch()
      this.#visitors.merge(visitors)
    }
  }

  #count(counts: Map<string, Counter>, name: string, max: number): void {
    const known = counts.get(name)
    if (known !== undefined) known.count++
    else if (counts.size < max && !this.#quotas.some((quota) => quota.isSpent(this.#day))) {
      for (const quota of this.#quotas) quota.take()
      counterOf(counts, name).count++
    } else counterOf(counts, '').count++
  }
}

function counterOf(counts: Map<string, Counter>, name: string): Counter {
  const known = counts.get(name) ?? new Counter()
  counts.set(name, known)
  return known
}

/** The host of an http(s) address in `Referer`; null: none, or the visited one. */
export function referrerHost(referrer: string, visited: string): string | null {
  const start = referrer.startsWith('https://') ? 8 : referrer.startsWith('http://') ? 7 : -1
  if (start === -1) return null
  const end = referrer.indexOf('/', start)
  const host = referrer.slice(start, end === -1 ? undefined : end)
  // Most links are of the site itself: what is canonical already costs a fifth.
  if (host === visited) return null
  const canonical = canonicalHost(host)
  return canonical === visited ? null : canonical
}

const indexFile = /(?:^|\/)index\.html?$/

/** `blog/index.html` is the page `/blog/`. */
export const pagePathOf = (file: string): string =>
  `/${indexFile.test(file) ? file.slice(0, file.lastIndexOf('/') + 1) : file}`
