import { Lane, type Work } from './lane.ts'
import { PaceHistory, type Party, serversOf } from './pace-history.ts'

/** How many lanes of one kind one server may hold, and all servers of one registrable domain. */
interface ServerShare {
  readonly host: number
  readonly domain: number
}

type UsedShare = keyof ServerShare

export interface LaneShares {
  readonly quick: ServerShare
  readonly slow: ServerShare
}

interface LanesOptions {
  /** Lanes for detached slow work. */
  readonly detachedMax?: number | undefined
  /** Lanes for slow work that holds too much memory to detach, in addition to `quickMax`. */
  readonly slowPinnedMax?: number | undefined
  readonly slowAfterMs?: number | undefined
  readonly shares?: LaneShares | undefined
  /** Milliseconds of a monotonic clock. */
  readonly elapsed?: (() => number) | undefined
}

/** Detached work only waits for a slow server, which costs almost nothing here. */
export const detachedMaxDefault = 32
export const slowAfterMsDefault = 3_000
/** How long slow work keeps its lane while other slow work waits. */
const quantumMs = 60_000
/** Work that waits for this process is checked at most this often. */
const ownWaitCheckMs = 100
const noShare: ServerShare = { host: Number.POSITIVE_INFINITY, domain: Number.POSITIVE_INFINITY }

/**
 * A semaphore with two kinds of permits, so that quick work never waits for slow servers (`docs/adr/0021`). Work is quick
 * until it has taken three seconds, or its party was slow recently (`PaceHistory`). Slow work has its own lanes; while these
 * are full, work that becomes slow keeps its quick lane until other work waits for it. One server, and one registrable
 * domain, has only its share of either kind.
 */
export class Lanes {
  readonly history: PaceHistory
  readonly #quickMax: number
  readonly #detachedMax: number
  readonly #slowPinnedMax: number
  readonly #slowAfterMs: number
  readonly #shares: LaneShares
  readonly #elapsed: () => number
  /** Start times, oldest first. */
  readonly #running = new Map<Lane, number>()

  constructor(quickMax: number, options: LanesOptions = {}) {
    this.#quickMax = quickMax
    this.#detachedMax = options.detachedMax ?? detachedMaxDefault
    this.#slowPinnedMax = options.slowPinnedMax ?? 0
    this.#slowAfterMs = options.slowAfterMs ?? slowAfterMsDefault
    this.#shares = options.shares ?? { quick: noShare, slow: noShare }
    this.#elapsed = options.elapsed ?? (() => performance.now())
    this.history = new PaceHistory({ elapsed: this.#elapsed })
  }

  /** Quick lanes in use, including by slow work for which no slow lane is free. */
  get busy(): number {
    const quick = this.#lanes.filter(({ isSlow }) => !isSlow)
    return quick.length + this.#excessDetached + this.#excessPinned
  }

  /** Free quick lanes. */
  get capacity(): number {
    return this.#quickMax - this.busy
  }

  /** Free slow lanes. */
  get slowCapacity(): number {
    return this.#detachedMax + this.#slowPinnedMax - this.#detached.length - this.#pinned.length
  }

  /** Whether this work may start now; `pinned` as in `Work`. */
  hasCapacity(party: Party, { pinned = false }: { readonly pinned?: boolean } = {}): boolean {
    const isSlow = this.isSlow(party)
    if (isSlow && pinned && this.#lacksPinned) return false
    return this.capacityFor(party.host, isSlow) > 0
  }

  /** How much more unpinned work of this kind and server may start. */
  capacityFor(host: string | null, isSlow: boolean): number {
    const capacity = this.#capacityOf(isSlow)
    return capacity <= 0 ? 0 : Math.min(capacity, this.#leftOfShare(host, isSlow))
  }

  /** Why no unpinned work of this kind and server may start: no lane is free, or a share is used; null: it may. */
  limitFor(host: string | null, isSlow: boolean): 'lanes' | UsedShare | null {
    return this.#capacityOf(isSlow) <= 0 ? 'lanes' : this.usedShareOf(host, isSlow)
  }

  /** The used share of this kind; null: this server and its domain may hold another lane, once one is free. */
  usedShareOf(host: string | null, isSlow: boolean): UsedShare | null {
    const left = this.#leftOfShares(host, isSlow)
    if (left.domain <= 0) return 'domain'
    return left.host <= 0 ? 'host' : null
  }

  isSlow(party: Party): boolean {
    return this.history.paceOf(party) === 'slow'
  }

  async start(work: Work): Promise<void> {
    const onSlow = (): void => {
      // Now, not when the work ends: other work of the same server may be about to start.
      if (lane.wasHeldUp) this.#remember(lane)
      work.onSlow()
    }
    const isSlow = work.party !== undefined && this.isSlow(work.party)
    const lane: Lane = new Lane({ ...work, onSlow }, isSlow, this.#elapsed)
    this.#running.set(lane, this.#elapsed())
    using _ = this.#becomesSlowInTime(lane)
    try {
      await work.run(lane)
    } finally {
      this.#running.delete(lane)
      this.#remember(lane)
    }
  }

  /**
   * Preempts slow work for parties that wait because all lanes are in use. Parties of servers that have used their share
   * preempt nothing: otherwise one slow server would evict everybody's long work and gain no lane by it.
   */
  preemptFor(waiting: readonly Party[], { pinned = false } = {}): void {
    const lackLane = waiting.filter(
      (party) =>
        !this.hasCapacity(party, { pinned }) &&
        this.#leftOfShare(party.host, this.isSlow(party)) > 0,
    )
    if (lackLane.some((party) => !this.isSlow(party))) this.preemptSlow()
    if (lackLane.some((party) => this.isSlow(party))) this.preemptSlow({ forSlow: true, pinned })
  }

  /**
   * Call when work waits for a lane. For a quick lane, preempts slow work that holds one: the oldest that has run for
   * `quantumMs`, else the newest of the registrable domain that holds most. For a slow lane, only the former, and only
   * pinned work where `pinned` work waits for its lanes.
   */
  preemptSlow({ forSlow = false, pinned = false } = {}): void {
    const slow = this.#lanes.filter(({ isSlow }) => isSlow)
    if (slow.some(({ signal }) => signal.aborted)) return
    const ofLanes = pinned && this.#lacksPinned ? this.#pinned : slow
    const candidates = forSlow ? ofLanes : this.#excess
    const latest = this.#elapsed() - quantumMs
    const overdue = candidates.find((lane) => (this.#running.get(lane) ?? 0) <= latest)
    if (overdue !== undefined) overdue.preempt()
    else if (!forSlow) newestOfLargest(candidates)?.preempt()
  }

  get #lanes(): Lane[] {
    return [...this.#running.keys()]
  }

  get #detached(): Lane[] {
    return this.#lanes.filter(({ isDetached }) => isDetached)
  }

  get #pinned(): Lane[] {
    return this.#lanes.filter(({ isSlow, isDetached }) => isSlow && !isDetached)
  }

  get #lacksPinned(): boolean {
    return this.#pinned.length >= this.#slowPinnedMax
  }

  get #excessDetached(): number {
    const unusedStay = Math.max(0, this.#slowPinnedMax - this.#pinned.length)
    return Math.max(0, this.#detached.length - this.#detachedMax - unusedStay)
  }

  get #excessPinned(): number {
    return Math.max(0, this.#pinned.length - this.#slowPinnedMax)
  }

  /** Slow work, pinned or detached, that exceeds its lanes. */
  get #excess(): Lane[] {
    if (this.#excessPinned > 0) return this.#pinned
    return this.#excessDetached > 0 ? this.#detached : []
  }

  /** Until it is disposed of, `lane` becomes slow after `slowAfterMs`, not counting its own waits. */
  #becomesSlowInTime(lane: Lane): Disposable {
    let allowedMs = 0
    const check = (): void => {
      const moreMs = lane.ownWaitMs - allowedMs
      if (moreMs < 1) {
        lane.becomeSlow()
        return
      }
      // Books what it grants: else a millisecond of waiting in each pause would keep the work quick for good.
      const pauseMs = Math.max(moreMs, ownWaitCheckMs)
      allowedMs += pauseMs
      timer = setTimeout(check, pauseMs)
    }
    let timer = setTimeout(check, this.#slowAfterMs)
    return { [Symbol.dispose]: () => clearTimeout(timer) }
  }

  #remember({ party, wasHeldUp }: Lane): void {
    if (party !== null) this.history.record(party, { isSlow: wasHeldUp })
  }

  #capacityOf(isSlow: boolean): number {
    return isSlow ? this.slowCapacity : this.capacity
  }

  #leftOfShare(host: string | null, isSlow: boolean): number {
    const left = this.#leftOfShares(host, isSlow)
    return Math.min(left.host, left.domain)
  }

  #leftOfShares(host: string | null, isSlow: boolean): ServerShare {
    if (host === null) return noShare
    const share = isSlow ? this.#shares.slow : this.#shares.quick
    const servers = serversOf(host)
    const running = this.#lanes.filter((lane) => lane.isSlow === isSlow)
    const ofHost = running.filter((lane) => lane.servers[0] === servers[0])
    const ofDomain = running.filter((lane) => lane.servers.at(-1) === servers.at(-1))
    return { host: share.host - ofHost.length, domain: share.domain - ofDomain.length }
  }
}

/** Unknown servers count as one. */
function newestOfLargest(lanes: readonly Lane[]): Lane | undefined {
  const domainOf = ({ servers }: Lane): string => servers.at(-1) ?? ''
  const byDomain = [...Map.groupBy(lanes, domainOf).values()]
  const largest = Math.max(...byDomain.map(({ length }) => length))
  return lanes.findLast((lane) => byDomain.some((of) => of.length === largest && of.includes(lane)))
}
