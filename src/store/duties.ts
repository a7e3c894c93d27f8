import { hostname } from 'node:os'
import { everyOrWhenWoken } from '#concurrency/every-or-when-woken.ts'
import { onAbort } from '#concurrency/or-aborted.ts'
import { WakeUp } from '#concurrency/wake-up.ts'
import type { Log } from '#observe/log.ts'
import type { Db } from './database/database.ts'
import type { DutyName } from './database/schema.ts'
import { type DutyEpoch, endDuty, lockDuty, takeDuties } from './duty-rows.ts'

/** Time until the duties of a dead instance can be taken over. */
const leaseMsDefault = 6_000
const renewEveryMsDefault = 1_500

/** Another instance has the duty, or may have it. */
export class DutyLostError extends Error {
  override readonly name = 'DutyLostError'

  constructor(duty: DutyName) {
    super(`duty lost; duty=${duty}`)
  }
}

/** The time in which this instance has a duty. */
export interface Term {
  /** Greater than that of every earlier term of the duty. */
  readonly epoch: number
  /** Aborted when it is over, or the instance stops. */
  readonly signal: AbortSignal
  /**
   * To be called first in a transaction that must not be late: throws DutyLostError when the duty is another's by now, else
   * nobody takes it before the transaction ends. An instance that was suspended learns of its end here.
   */
  lock(transaction: Db): Promise<void>
}

/** Work that one instance at a time does for all. */
export interface Duties {
  /**
   * Does the work whenever this instance has the duty, until the work returns or the signal aborts. Throws what it
   * throws, except after its term has ended.
   */
  run(name: DutyName, work: (term: Term) => Promise<unknown>): Promise<void>
}

/** For an instance that is the only one on its database: it has every duty. */
export function soleDuties(signal: AbortSignal): Duties {
  const term = { epoch: 1, signal, lock: () => Promise.resolve() }
  return {
    run: async (_, work) => {
      await work(term)
    },
  }
}

interface LeasedOptions {
  /** A connection of its own: renewals must not wait for other work. */
  readonly db: Db
  readonly log: Log
  readonly signal: AbortSignal
  readonly now?: () => number
  readonly leaseMs?: number
  readonly renewEveryMs?: number
}

/** Duties by leases in the database, all of them renewed and taken by one statement. Each ends when it was not renewed in time. */
export class LeasedDuties implements Duties {
  readonly #options: Required<LeasedOptions>
  readonly #holder = `${process.pid} ${hostname()} ${crypto.randomUUID()}`
  /** What this instance would do, or does. */
  readonly #offers = new Map<DutyName, Offer>()
  readonly #wakeUp = new WakeUp()
  #renewals: Promise<void> | null = null
  /** Settles when the latest statement has been answered. */
  #asking: Promise<void> = Promise.resolve()
  /** Its answer. */
  #held: ReadonlyMap<DutyName, DutyEpoch> = new Map()

  constructor(options: LeasedOptions) {
    const defaults = { now: Date.now, leaseMs: leaseMsDefault, renewEveryMs: renewEveryMsDefault }
    this.#options = { ...defaults, ...options }
  }

  /** Looks now whether a duty is free. */
  wake(): void {
    this.#wakeUp.wake()
  }

  async run(name: DutyName, work: (term: Term) => Promise<unknown>): Promise<void> {
    const { log, signal } = this.#options
    let isDone = false
    while (!isDone && !signal.aborted) {
      const term = await this.#take(name)
      if (term === null) return
      log.debug('duty taken', { duty: name, epoch: term.epoch })
      try {
        await work(term)
        isDone = !term.isLost
      } catch (error) {
        if (!term.isLost) throw error
        log.debug('duty ended', { duty: name, error })
      } finally {
        await this.#end(name, term)
      }
    }
  }

  /** Null: the signal aborted first. */
  async #take(name: DutyName): Promise<LeasedTerm | null> {
    const { signal } = this.#options
    const taken = Promise.withResolvers<LeasedTerm | null>()
    this.#offers.set(name, { term: null, taken: taken.resolve })
    this.#renewals ??= this.#keepRenewing()
    this.wake()
    using _ = onAbort(signal, () => taken.resolve(null))
    const term = await taken.promise
    if (term === null) await this.#end(name, null)
    return term
  }

  async #end(name: DutyName, term: LeasedTerm | null): Promise<void> {
    this.#offers.delete(name)
    term?.[Symbol.dispose]()
    this.wake()
    // A statement that began before must not take the duty again.
    await this.#asking
    const held = term ?? this.#held.get(name)
    // A lease that is not released expires.
    if (held) await endDuty(this.#options.db, held).catch(() => undefined)
  }

  /** Until the signal, and then until the work has ended: it keeps its duty so long. */
  async #keepRenewing(): Promise<void> {
    const { log, renewEveryMs, signal } = this.#options
    const ended = new AbortController()
    let isLate = false
    const renew = async (): Promise<number> => {
      if (this.#offers.size > 0) await this.#renewOnce()
      else if (signal.aborted) ended.abort()
      isLate = false
      return renewEveryMs
    }
    const onError = async (error: unknown): Promise<void> => {
      // Each term ends when its time is over; whoever reaches the database first takes the duty then.
      if (!isLate) log.warn('duties not renewed', { error })
      isLate = true
      await this.#wakeUp.wait(renewEveryMs / 3)
    }
    await everyOrWhenWoken(renew, { signal: ended.signal, wakeUp: this.#wakeUp, onError })
  }

  async #renewOnce(): Promise<void> {
    const { db, leaseMs, now } = this.#options
    const until = performance.now() + leaseMs
    const names = [...this.#offers.keys()]
    const asking = takeDuties(db, names, { holder: this.#holder, leaseMs, now: now() })
    const settled = asking.then(
      () => undefined,
      () => undefined,
    )
    this.#asking = settled
    this.#held = new Map((await asking).map((duty) => [duty.name, duty]))
    for (const name of names) this.#settle(name, this.#held.get(name), until)
  }

  /** `until`: the lease's end by the monotonic clock; `duty` is left out when another instance has it. */
  #settle(name: DutyName, duty: DutyEpoch | undefined, until: number): void {
    const offer = this.#offers.get(name)
    if (offer === undefined) return
    if (offer.term !== null) {
      // Another epoch: another instance has had it meanwhile.
      if (duty?.epoch === offer.term.epoch) offer.term.extend(until)
      else offer.term.lose()
    } else if (duty !== undefined) {
      offer.term = new LeasedTerm(duty, this.#options)
      offer.term.extend(until)
      offer.taken(offer.term)
    }
  }
}

interface Offer {
  /** Null: another instance has the duty. */
  term: LeasedTerm | null
  readonly taken: (term: LeasedTerm | null) => void
}

class LeasedTerm implements Term, DutyEpoch, Disposable {
  readonly name: DutyName
  readonly holder: string
  readonly epoch: number
  readonly signal: AbortSignal
  readonly #log: Log
  readonly #lost = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(
    { name, holder, epoch }: DutyEpoch,
    { log, signal }: Pick<LeasedOptions, 'log' | 'signal'>,
  ) {
    this.name = name
    this.holder = holder
    this.epoch = epoch
    this.#log = log
    this.signal = AbortSignal.any([signal, this.#lost.signal])
  }

  get isLost(): boolean {
    return this.#lost.signal.aborted
  }

  /** Until this time of the monotonic clock nobody else can have it. */
  extend(until: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.lose(), Math.max(0, until - performance.now()))
  }

  lose(): void {
    if (this.isLost) return
    this.#log.warn('duty lost', { duty: this.name, epoch: this.epoch })
    this.#lost.abort(new DutyLostError(this.name))
  }

  async lock(transaction: Db): Promise<void> {
    if (!this.isLost && (await lockDuty(transaction, this))) return
    this.lose()
    throw new DutyLostError(this.name)
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
  }
}
