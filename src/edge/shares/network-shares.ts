import { LruMap } from '#concurrency/lru-map.ts'
import type { SiteAddress } from '#site/site-address.ts'
import type { UtcDay } from '#site/utc-day.ts'

/**
 * What one network (an IPv4 address, an IPv6 /48) can take of a site's bytes of a day, and of its account's. Otherwise one
 * visitor could switch a site off until midnight.
 */
export const networkPart = 0.05

/** Networks whose bytes are counted at a time, of each site: some 10 MB. One that comes back after as many others begins anew. */
const networksCountedMax = 50_000

/**
 * Small bodies are sampled: one of n bytes is counted with the probability n / sampleBytes, and then as sampleBytes, so that the average is
 * right. Finding out the network takes some µs: expensive compared with a page, cheap compared with a hundredth of a network's part.
 */
const sampleBytes = { min: 64 * 1024, max: 2 ** 20 }

/** Bytes per day; null: no limit. */
interface DayMaxima {
  readonly site: number | null
  readonly account: number | null
}

/** What a network has taken on one day. */
export interface TakenBytes {
  readonly day: UtcDay
  bytes: number
}

interface NetworkOptions {
  readonly networksMax?: number
  /** From 0 to 1. */
  readonly random?: () => number
}

/** What client networks took of sites, about, of what this process sent. */
export class NetworkShares {
  readonly #maxima: DayMaxima
  readonly #taken: LruMap<string, TakenBytes>
  readonly #random: () => number
  readonly #sampleBytes: number

  constructor(
    { account, site }: DayMaxima,
    { networksMax = networksCountedMax, random = Math.random }: NetworkOptions = {},
  ) {
    this.#maxima = { site: partOf(site), account: partOf(account) }
    this.#taken = new LruMap(networksMax)
    this.#random = random
    const least = Math.min(this.#maxima.site ?? Infinity, this.#maxima.account ?? Infinity)
    this.#sampleBytes = Math.min(Math.max(least / 100, sampleBytes.min), sampleBytes.max)
  }

  /** Without a limit of bytes nobody needs to know the network. */
  get isLimited(): boolean {
    return this.#maxima.site !== null || this.#maxima.account !== null
  }

  /** The bytes that a small body counts as; 0: it is not in the sample. */
  sample(bytes: number): number {
    return this.#random() * this.#sampleBytes < bytes ? this.#sampleBytes : 0
  }

  /** What is to be added to when the network takes more of the site; null: it has taken all that it may. */
  counters({ did, name }: SiteAddress, network: string, today: UtcDay): TakenBytes[] | null {
    const { account, site } = this.#maxima
    const ofSite = site === null ? null : this.#of(`${did}/${name} ${network}`, today)
    const ofAccount = account === null ? null : this.#of(`${did}/ ${network}`, today)
    const isSpent =
      (ofSite?.bytes ?? 0) >= (site ?? Number.POSITIVE_INFINITY) ||
      (ofAccount?.bytes ?? 0) >= (account ?? Number.POSITIVE_INFINITY)
    return isSpent ? null : [ofSite, ofAccount].filter((counter) => counter !== null)
  }

  #of(key: string, day: UtcDay): TakenBytes {
    const known = this.#taken.get(key)
    if (known?.day === day) return known
    const taken = { day, bytes: 0 }
    this.#taken.set(key, taken)
    return taken
  }
}

const partOf = (bytes: number | null): number | null =>
  bytes === null ? null : bytes * networkPart
