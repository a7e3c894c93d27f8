import { type Allowance, spentAfterOne, waitUntilSpendable } from '#concurrency/token-bucket.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { startOfUtcDay, type UtcDay, utcDayOf } from '#site/utc-day.ts'
import type { VisitorSketch } from '#site/visitor-sketch.ts'
import type { Traffic } from '#store/sites/traffic.ts'
import { NameQuota } from './name-quota.ts'
import type { NetworkShares, TakenBytes } from './network-shares.ts'
import {
  accountNamesMax,
  type CountedPage,
  type VisitCount,
  VisitCounts,
  type Visitor,
} from './visit-counts.ts'

/** Which limit refuses a visitor; a label of the metrics. */
export type RefusedBy = (typeof refusedBy)[number]
export const refusedBy = [
  'site_requests',
  'site_bytes',
  'account_requests',
  'account_bytes',
  'network_bytes',
] as const

export interface Refusal {
  readonly by: RefusedBy
  readonly retryAfterSeconds: number
}

/** What visitors of one site, or of all sites of an account, may take; null: no limit. */
export interface ShareLimits {
  readonly requestsPerSecondMax: number | null
  readonly bytesPerDayMax: number | null
}

/** Requests that may come at once, in seconds of those that may come all the time. */
export const burstSeconds = 10

/** What visitors of one site, or of all sites of an account, have taken. */
export class Spent {
  /** When its token bucket is full again. */
  spentUntil = 0
  /** The day on which it has reached its bytes; -1: none. */
  spentOn: UtcDay = -1
}

/** What all sites of an account have taken together. */
export class AccountShare extends Spent {
  readonly names = new NameQuota(accountNamesMax)
  /** The day on which a network has taken its part of something of the account: from then on, each request is looked at. */
  watchedOn: UtcDay = -1
}

/** What the shares of one process have in common. */
export interface ShareContext {
  readonly allowances: { readonly site: Allowance | null; readonly account: Allowance | null }
  /** Monotonic milliseconds. */
  readonly elapsed: () => number
  readonly now: () => number
  /** The day of the last save: a number that each request can compare. */
  today: UtcDay
  /** What visitors are hashed with today; null: not known yet, and they are not counted. */
  salt: string | null
  readonly names: NameQuota
  readonly networks: NetworkShares
  /** Origin of the application, whose pages show sites in frames: those are no visits. */
  readonly appOrigin: string | null
  /** Called with the first request or byte since the last save. */
  readonly onUnsaved: (share: SiteShare) => void
  readonly onRefused: (by: RefusedBy) => void
}

/** What visitors took of a site, and what they visited. */
export interface CountedTraffic extends Traffic {
  readonly visits: readonly VisitCount[]
  /** Null: nobody. */
  readonly visitors: VisitorSketch | null
}

const secondMs = 1_000

/**
 * Page views a second whose visitors are counted, of one site in one process. Each takes a microsecond, most of it for the address: expensive
 * when a site gets tens of thousands of requests a second.
 */
const visitorsPerSecondMax = 1_000

/**
 * A body that its visitor broke off counts at most what a connection of 1 Gbit/s takes in its time, and one window of HTTP/2
 * (RFC 9113 §6.9.2). Otherwise anybody could spend a site's bytes by asking for files and hanging up: 26 bytes a request.
 */
const connectionBytesPerMs = 125_000
const windowBytes = 64 * 1024

/** Limits and counts the visitors of one site, on all its hosts and in all its versions; every request of it passes here. */
export class SiteShare {
  readonly address: SiteAddress
  readonly site = new Spent()
  readonly account: AccountShare
  readonly #context: ShareContext
  #isUnsaved = false
  #requests = 0
  #bytes = 0
  #refused = 0
  #visits: VisitCounts | null = null
  /** When the last request came. */
  #now = 0
  /** Visitors that may still be told apart until then. */
  #visitorsLeft = 0
  #visitorsUntil = 0

  constructor(address: SiteAddress, account: AccountShare, context: ShareContext) {
    this.address = address
    this.account = account
    this.#context = context
  }

  /** Counts a request; null: it may be answered. */
  take(): Refusal | null {
    if (!this.#isUnsaved) this.#beUnsaved()
    const refusal = this.#refusal()
    if (refusal === null) this.#requests++
    else this.#countRefused(refusal)
    return refusal
  }

  /** Counts the bytes of an answer's body. */
  addBytes(bytes: number): void {
    if (!this.#isUnsaved) this.#beUnsaved()
    this.#bytes += bytes
  }

  countStatus(status: number): void {
    this.#visitCounts().countStatus(status)
  }

  /** Counts a visit of a page. `visitorOf`: only called for some where there are very many. */
  countPage(page: CountedPage, request: Request, visitorOf: (request: Request) => Visitor): void {
    const referrer = request.headers.get('referer')
    const { appOrigin, salt } = this.#context
    if (appOrigin !== null && isFrameOf(appOrigin, referrer, request)) return
    const visits = this.#visitCounts()
    visits.countPage(page, referrer)
    if (salt !== null && this.#takeVisitor()) visits.countVisitor(visitorOf(request), salt)
  }

  /**
   * Counts the bytes of a file's body; null: it may be sent. One above a window counts only what was taken if the request is
   * aborted. It is refused to a network that has taken its part. `networkOf`: only called for large bodies and a sample of the others, until a
   * network has taken its part.
   */
  addBody(
    bytes: number,
    request: Request,
    networkOf: (request: Request) => string,
  ): Refusal | null {
    // Bun makes the signal when it is read, and a network takes some 10 µs: only for bodies that are worth it.
    if (bytes <= windowBytes) return this.#addSmall(bytes, request, networkOf)
    const { networks, today } = this.#context
    const counters = networks.isLimited
      ? networks.counters(this.address, networkOf(request), today)
      : []
    if (counters === null) return this.#refuseNetwork()
    this.#addLarge(bytes, counters)
    this.#refundIfAborted(bytes, request.signal, counters)
    return null
  }

  /** What was counted since the last call. */
  takeUnsaved(): CountedTraffic {
    const unsaved = {
      requests: this.#requests,
      bytes: this.#bytes,
      refused: this.#refused,
      visits: this.#visits?.take(this.#context.today) ?? [],
      visitors: this.#visits?.takeVisitors() ?? null,
    }
    this.#isUnsaved = false
    this.#requests = 0
    this.#bytes = 0
    this.#refused = 0
    return unsaved
  }

  /** Counts again what could not be saved. */
  putBack({ requests, bytes, refused, visits, visitors }: CountedTraffic): void {
    if (!this.#isUnsaved) this.#beUnsaved()
    this.#requests += requests
    this.#bytes += bytes
    this.#refused += refused
    this.#visits?.putBack(visits, visitors)
  }

  #countRefused({ by }: Refusal): void {
    if (!this.#isUnsaved) this.#beUnsaved()
    this.#refused++
    this.#context.onRefused(by)
  }

  #addSmall(bytes: number, request: Request, networkOf: (request: Request) => string) {
    const { networks, today } = this.#context
    const sampled = networks.isLimited ? networks.sample(bytes) : 0
    if (sampled > 0 || this.account.watchedOn === today) {
      const counters = networks.counters(this.address, networkOf(request), today)
      if (counters === null) return this.#refuseNetwork()
      for (const counter of counters) counter.bytes += sampled
    }
    this.addBytes(bytes)
    return null
  }

  #refuseNetwork(): Refusal {
    this.account.watchedOn = this.#context.today
    const refusal = this.#untilTomorrow('network_bytes')
    this.#countRefused(refusal)
    return refusal
  }

  #addLarge(bytes: number, counters: readonly TakenBytes[]): void {
    this.addBytes(bytes)
    for (const counter of counters) counter.bytes += bytes
  }

  #refundIfAborted(bytes: number, signal: AbortSignal, counters: readonly TakenBytes[]): void {
    const { elapsed, today } = this.#context
    const beganAt = elapsed()
    const onAbort = (): void => {
      // The new day would begin with credit.
      if (this.#context.today !== today) return
      const taken = windowBytes + (elapsed() - beganAt) * connectionBytesPerMs
      if (taken < bytes) this.#addLarge(taken - bytes, counters)
    }
    signal.addEventListener('abort', onAbort, { once: true })
  }

  /** Drops what could not be saved on its day: subtracted bytes and visitors. */
  beginDay(): void {
    this.#bytes = Math.max(0, this.#bytes)
    this.#visits?.takeVisitors()
  }

  #takeVisitor(): boolean {
    if (this.#now >= this.#visitorsUntil) {
      this.#visitorsUntil = this.#now + secondMs
      this.#visitorsLeft = visitorsPerSecondMax
    }
    return this.#visitorsLeft-- > 0
  }

  #visitCounts(): VisitCounts {
    if (!this.#isUnsaved) this.#beUnsaved()
    const { names, today } = this.#context
    this.#visits ??= new VisitCounts(today, [names, this.account.names])
    return this.#visits
  }

  #beUnsaved(): void {
    this.#isUnsaved = true
    this.#context.onUnsaved(this)
  }

  #refusal(): Refusal | null {
    const { allowances, elapsed, today } = this.#context
    const { account, site } = this
    if (site.spentOn === today) return this.#untilTomorrow('site_bytes')
    if (account.spentOn === today) return this.#untilTomorrow('account_bytes')
    const now = elapsed()
    this.#now = now
    const ofSite = allowances.site
    const ofAccount = allowances.account
    let siteUntil = 0
    if (ofSite !== null) {
      siteUntil = spentAfterOne(site.spentUntil, now, ofSite)
      const waitMs = waitUntilSpendable(siteUntil, now, ofSite)
      if (waitMs > 0) return { by: 'site_requests', retryAfterSeconds: secondsOf(waitMs) }
    }
    if (ofAccount !== null) {
      const accountUntil = spentAfterOne(account.spentUntil, now, ofAccount)
      const waitMs = waitUntilSpendable(accountUntil, now, ofAccount)
      if (waitMs > 0) return { by: 'account_requests', retryAfterSeconds: secondsOf(waitMs) }
      account.spentUntil = accountUntil
    }
    site.spentUntil = siteUntil
    return null
  }

  #untilTomorrow(by: RefusedBy): Refusal {
    const now = this.#context.now()
    return { by, retryAfterSeconds: secondsOf(startOfUtcDay(utcDayOf(now) + 1) - now) }
  }
}

/** A browser says so (Fetch Metadata) and sends the origin alone to other ones, as the application's pages ask it to. */
const isFrameOf = (origin: string, referrer: string | null, request: Request): boolean =>
  referrer?.length === origin.length + 1 &&
  referrer.startsWith(origin) &&
  request.headers.get('sec-fetch-dest') === 'iframe'

const secondsOf = (ms: number): number => Math.ceil(ms / secondMs)
