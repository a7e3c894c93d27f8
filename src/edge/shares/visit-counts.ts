import { canonicalHost } from '#edge/names/route.ts'
import type { UtcDay } from '#site/utc-day.ts'
import { VisitorSketch } from '#site/visitor-sketch.ts'
import type { SiteVisits } from '#store/sites/visits.ts'
import { NameCounts } from './name-counts.ts'
import type { NameQuota } from './name-quota.ts'

/** Names that are counted of a site at one time of a day; the others are one row together. */
const pagesMax = 200
const referrersMax = 50
const countriesMax = 250

/** The same of all sites in this process, some 30 MB. */
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
    page: new NameCounts(pagesMax),
    referrer: new NameCounts(referrersMax),
    country: new NameCounts(countriesMax),
  }
  /** By the first digit: each answer counts here, and a look-up in a map takes longer than the rest of it. */
  readonly #statuses = statusClasses.map((value) => ({ value, count: 0 }))
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
    this.#byKind.page.count(path, this.#takesName)
    const from = referrer === null ? null : referrerHost(referrer, host)
    if (from !== null) this.#byKind.referrer.count(from, this.#takesName)
  }

  /** Counts who views a page. `salt`: of the day. */
  countVisitor({ country, network, userAgent }: Visitor, salt: string): void {
    const hash = Bun.hash.wyhash(`${salt}${network} ${userAgent.slice(0, hashedCharsMax)}`)
    this.#visitors ??= new VisitorSketch()
    this.#visitors.add(Number(hash & 0xffffffffn))
    if (country !== null) this.#byKind.country.count(country, this.#takesName)
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
    for (const kind of ['page', 'referrer', 'country'] as const) {
      for (const row of this.#byKind[kind].take()) taken.push({ kind, ...row })
      if (day !== this.#day) this.#byKind[kind].forget()
    }
    for (const counter of this.#statuses) {
      if (counter.count > 0) taken.push({ kind: 'status', ...counter })
      counter.count = 0
    }
    this.#day = day
    return taken
  }

  putBack(taken: readonly VisitCount[], visitors: VisitorSketch | null = null): void {
    for (const { count, kind, value } of taken) {
      const status = this.#statuses.find((counter) => counter.value === value)
      if (kind !== 'status') this.#byKind[kind].putBack({ count, value })
      else if (status !== undefined) status.count += count
    }
    if (visitors !== null) {
      this.#visitors ??= new VisitorSketch()
      this.#visitors.merge(visitors)
    }
  }

  /** Takes one of each quota, if all have one left. */
  readonly #takesName = (): boolean => {
    if (this.#quotas.some((quota) => quota.isSpent(this.#day))) return false
    for (const quota of this.#quotas) quota.take()
    return true
  }
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
