import { LruMap } from '#concurrency/lru-map.ts'
import type { Allowance } from '#concurrency/token-bucket.ts'
import { Tally } from '#observe/tally.ts'
import type { Did, SiteAddress } from '#site/site-address.ts'
import { type UtcDay, utcDayOf } from '#site/utc-day.ts'
import type { SiteTraffic, Traffic, TrafficTotal } from '#store/sites/traffic.ts'
import type { SiteVisitors } from '#store/sites/visitors.ts'
import type { SiteVisits } from '#store/sites/visits.ts'
import { NameQuota } from './name-quota.ts'
import { NetworkShares } from './network-shares.ts'
import {
  AccountShare,
  burstSeconds,
  type CountedTraffic,
  type RefusedBy,
  type ShareContext,
  type ShareLimits,
  SiteShare,
} from './site-share.ts'
import { namesMax } from './visit-counts.ts'

/**
 * Sites, and as many accounts, that are counted at a time: some 30 MB. One that is visited again after as many others begins with
 * a full token bucket; what it took that day is in the database.
 */
export const sitesCountedMax = 100_000

/** Sites whose counts are saved at a time; the others' follow with the next save. */
const savedAtOnceMax = 2_000

/** Sites whose counts wait while they cannot be saved; more are dropped, the oldest first. */
const unsavedMaxDefault = sitesCountedMax

interface SharesOptions {
  readonly limits: { readonly site: ShareLimits; readonly account: ShareLimits }
  readonly elapsed: () => number
  readonly now: () => number
  readonly appOrigin?: string
  readonly sitesMax?: number
  readonly unsavedMax?: number
}

/** Adds to what is stored, and returns what the day has then, of all processes; null: that is not known. */
type AddTraffic = (day: UtcDay, counted: Counted) => Promise<readonly TrafficTotal[] | null>

/** What was counted since it was stored last. */
export interface Counted {
  readonly traffic: readonly SiteTraffic[]
  readonly visits: readonly SiteVisits[]
  readonly visitors: readonly SiteVisitors[]
}

/** The share of each site that visitors ask this process for. */
export class SiteShares {
  /** Visitors that were refused. */
  readonly refusals = new Tally<RefusedBy>()
  readonly #sites: LruMap<string, SiteShare>
  readonly #accounts: LruMap<Did, AccountShare>
  readonly #context: ShareContext
  readonly #limits: SharesOptions['limits']
  readonly #unsavedMax: number
  #unsaved: SiteShare[] = []
  #dropped = 0

  constructor({
    limits,
    sitesMax = sitesCountedMax,
    unsavedMax = unsavedMaxDefault,
    appOrigin,
    ...options
  }: SharesOptions) {
    this.#limits = limits
    this.#unsavedMax = unsavedMax
    this.#sites = new LruMap(sitesMax)
    this.#accounts = new LruMap(sitesMax)
    this.#context = {
      ...options,
      allowances: { site: allowanceOf(limits.site), account: allowanceOf(limits.account) },
      today: utcDayOf(options.now()),
      salt: null,
      appOrigin: appOrigin ?? null,
      names: new NameQuota(namesMax),
      networks: new NetworkShares({
        site: limits.site.bytesPerDayMax,
        account: limits.account.bytesPerDayMax,
      }),
      onUnsaved: (share) => this.#unsaved.push(share),
      onRefused: (by) => this.refusals.add(by),
    }
  }

  /** The day whose salt is needed to tell visitors apart; null: it is there. */
  get saltlessDay(): UtcDay | null {
    return this.#context.salt === null ? this.#context.today : null
  }

  setSalt(day: UtcDay, salt: string): void {
    if (day === this.#context.today) this.#context.salt = salt
  }

  /** To be kept with what is in memory of the site. */
  of({ did, name }: SiteAddress): SiteShare {
    const key = `${did}/${name}`
    const known = this.#sites.get(key)
    if (known !== undefined) return known
    const account = this.#accounts.get(did) ?? new AccountShare()
    this.#accounts.set(did, account)
    const share = new SiteShare({ did, name }, account, this.#context)
    this.#sites.set(key, share)
    return share
  }

  /**
   * Stores what was counted since the last call, and learns from it which sites and accounts have reached their bytes of the
   * day, whichever process sent them. Throws what `add` throws: the counts are then part of the next call.
   */
  async save(add: AddTraffic): Promise<void> {
    // What was counted since the last call is of that day.
    const day = this.#context.today
    const shares = this.#unsaved.splice(0, savedAtOnceMax)
    this.#beginDay(utcDayOf(this.#context.now()))
    if (shares.length === 0) return
    const taken = shares.map((share) => ({ share, traffic: share.takeUnsaved() }))
    try {
      const totals = await add(day, countedOf(taken))
      if (totals !== null) this.#learn(shares, totals, day)
    } catch (error) {
      for (const { share, traffic } of taken) {
        share.putBack(traffic)
        if (day !== this.#context.today) share.beginDay()
      }
      this.#dropOldest()
      throw error
    }
  }

  /** How many sites' counts were dropped since the last call, because too many could not be saved. */
  takeDropped(): number {
    const dropped = this.#dropped
    this.#dropped = 0
    return dropped
  }

  #dropOldest(): void {
    const excess = Math.max(0, this.#unsaved.length - this.#unsavedMax)
    for (const share of this.#unsaved.splice(0, excess)) share.takeUnsaved()
    this.#dropped += excess
  }

  #beginDay(today: UtcDay): void {
    if (today === this.#context.today) return
    this.#context.today = today
    this.#context.salt = null
    for (const share of this.#unsaved) share.beginDay()
  }

  #learn(shares: readonly SiteShare[], totals: readonly TrafficTotal[], day: number): void {
    const { account, site } = this.#limits
    const bytesOf = new Map(totals.map(({ did, site, bytes }) => [`${did}/${site}`, bytes]))
    const spentOn = (key: string, max: number | null): number =>
      max !== null && (bytesOf.get(key) ?? 0) >= max ? day : -1
    for (const share of shares) {
      const { did, name } = share.address
      share.site.spentOn = spentOn(`${did}/${name}`, site.bytesPerDayMax)
      share.account.spentOn = spentOn(`${did}/`, account.bytesPerDayMax)
    }
  }
}

const allowanceOf = ({ requestsPerSecondMax: perSecond }: ShareLimits): Allowance | null =>
  perSecond === null ? null : { count: perSecond * burstSeconds, windowMs: burstSeconds * 1000 }

interface Taken {
  readonly share: SiteShare
  readonly traffic: CountedTraffic
}

const countedOf = (taken: readonly Taken[]): Counted => ({
  traffic: trafficOf(taken),
  visits: visitsOf(taken),
  visitors: visitorsOf(taken),
})

/** By account, and by site; the row of an account (`site` empty) has the sums. Sorted: two processes lock rows in one order. */
function trafficOf(taken: readonly Taken[]): SiteTraffic[] {
  const rows = new Map<string, SiteTraffic>()
  const add = (
    did: Did,
    site: SiteTraffic['site'],
    { requests, bytes, refused }: Traffic,
  ): void => {
    const key = `${did}/${site}`
    const before = rows.get(key)
    rows.set(key, {
      did,
      site,
      requests: (before?.requests ?? 0) + requests,
      bytes: (before?.bytes ?? 0) + Math.round(bytes),
      refused: (before?.refused ?? 0) + refused,
    })
  }
  for (const { share, traffic } of taken) {
    const { did, name } = share.address
    add(did, name, traffic)
    add(did, '', traffic)
  }
  return [...rows.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
}

const visitsOf = (taken: readonly Taken[]): SiteVisits[] =>
  taken.flatMap(({ share: { address }, traffic }) =>
    traffic.visits.map((visit) => ({ did: address.did, site: address.name, ...visit })),
  )

const visitorsOf = (taken: readonly Taken[]): SiteVisitors[] =>
  taken.flatMap(({ share: { address }, traffic: { visitors } }) =>
    visitors === null ? [] : { did: address.did, site: address.name, sketch: visitors },
  )
