import { everyOrWhenWoken } from '#concurrency/every-or-when-woken.ts'
import { RateLimiter } from '#concurrency/rate-limiter.ts'
import { recordEvent } from '#observe/events.ts'
import type { Log } from '#observe/log.ts'
import type { Did } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import { waitForDatabase } from '#store/database/wait-for-database.ts'
import type { WakeUps } from '#store/database/wake-ups.ts'
import {
  type DueDelivery,
  goneStatus,
  nextDeliveryAt,
  postponeDelivery,
  recordAttempt,
  takeDueDeliveries,
} from '#store/webhooks/deliveries.ts'
import { type Answered, answerMsMax, type SendContext, sendDelivery } from './send-delivery.ts'

/** Before the second attempt, the third and so on: eight attempts within a day. */
export const retryPausesMs = [
  5_000,
  60_000,
  5 * 60_000,
  30 * 60_000,
  2 * 60 * 60_000,
  6 * 60 * 60_000,
  12 * 60 * 60_000,
] as const
/** Webhooks that failed together are not all retried together. */
const retryJitter = 0.2
/** The longest pause before an attempt. */
export const deliveryRetryMsMax = (1 + retryJitter) * Math.max(...retryPausesMs)
/** A webhook that has answered nothing for so long is disabled with its next delivery that is given up. */
export const failingMsMax = 3 * 24 * 60 * 60_000

/** Deliveries in progress: in all, of one account, and to one host of any accounts. */
export const deliveriesAtOnce = 16
const ofAccountAtOnce = 4
export const ofHostAtOnce = 4
/** So that nobody can have others flooded by us. */
export const accountAllowance = { count: 60, windowMs: 60_000 }
export const hostAllowance = { count: 120, windowMs: 60_000 }
/** Accounts and hosts beyond their allowance that are passed over; their rows are put back one by one when there are more. */
const pausedMax = 500
/** Accounts that were served of late, and therefore come after others. */
const servedMax = 500

/** A process that died has sent what it took, or not: it is sent again. */
export const deliveryLeaseMs = 6 * answerMsMax
const pollMs = 1_000

export interface DeliveryContext extends SendContext {
  readonly db: Db
  readonly log: Log
  readonly wakeUps: WakeUps
  readonly random?: () => number
}

/** Delivers what is due to webhooks until the signal aborts. */
export async function runDeliveries(context: DeliveryContext): Promise<void> {
  const { signal, wakeUps } = context
  using wakeUp = wakeUps.subscribe('webhooks')
  const deliveries = new Deliveries({ ...context, onEnd: () => wakeUp.wake() })
  const onError = waitForDatabase('webhooks', context)
  await everyOrWhenWoken(() => deliveries.startDue(), { signal, wakeUp, onError })
  await deliveries.ended()
}

type DeliveriesContext = DeliveryContext & {
  /** Called when a delivery has ended: another one may begin. */
  readonly onEnd?: () => void
}

/** Starts what is due, within the limits, and records how it ends. */
export class Deliveries {
  readonly #context: DeliveriesContext
  readonly #ofAccount: RateLimiter
  readonly #ofHost: RateLimiter
  readonly #inProgress = new Map<DueDelivery, Promise<void>>()
  /** Accounts and hosts, and when they are within their allowance again. */
  readonly #paused = new Map<Did | string, number>()
  /** When an account's last delivery began, the earliest first. */
  readonly #served = new Map<Did, number>()

  constructor(context: DeliveriesContext) {
    this.#context = context
    this.#ofAccount = new RateLimiter(accountAllowance, { now: context.elapsed })
    this.#ofHost = new RateLimiter(hostAllowance, { now: context.elapsed })
  }

  /** Returns the milliseconds until the next look. */
  async startDue(): Promise<number> {
    const { db, now } = this.#context
    const limit = deliveriesAtOnce - this.inProgress
    const nextAt = limit === 0 ? null : await nextDeliveryAt(db)
    if (nextAt === null || nextAt > now()) return pollMs
    const busy = this.#busy()
    const taken = await takeDueDeliveries(db, {
      ...{ now: now(), leaseMs: deliveryLeaseMs, limit, busy, served: this.#servedOfLate() },
    })
    for (const delivery of taken) await this.#start(delivery)
    return taken.length === limit && this.inProgress < deliveriesAtOnce ? 0 : pollMs
  }

  get inProgress(): number {
    return this.#inProgress.size
  }

  /** Resolves when nothing is in progress. */
  async ended(): Promise<void> {
    while (this.inProgress > 0) await Promise.all(this.#inProgress.values())
  }

  #busy() {
    const now = this.#context.elapsed()
    for (const [name, until] of this.#paused) if (until <= now) this.#paused.delete(name)
    const open = [...this.#inProgress.keys()]
    const names = [...this.#paused.keys()]
    const dids = open.map(({ did }) => did).filter((did) => this.#isFull(did))
    const hosts = open.map(({ webhook }) => webhook.host).filter((host) => this.#isFull(host))
    return {
      dids: [...new Set([...dids, ...names.filter(isDid)])],
      hosts: [...new Set([...hosts, ...names.filter((name) => !isDid(name))])],
    }
  }

  /**
   * Accounts that were served within the window of their allowance. Without their waiting behind others, a few of them with
   * slow servers and many events would hold all places, or a host's allowance, and everybody would wait behind their rows.
   */
  #servedOfLate(): Did[] {
    const since = this.#context.elapsed() - accountAllowance.windowMs
    for (const [did, at] of this.#served) {
      if (at > since && this.#served.size <= servedMax) break
      this.#served.delete(did)
    }
    return [...this.#served.keys()]
  }

  #isFull(name: Did | string): boolean {
    const open = [...this.#inProgress.keys()]
    return isDid(name)
      ? open.filter(({ did }) => did === name).length >= ofAccountAtOnce
      : open.filter(({ webhook }) => webhook.host === name).length >= ofHostAtOnce
  }

  async #start(delivery: DueDelivery): Promise<void> {
    const { db, elapsed, now } = this.#context
    const { did, id, nextAttemptAt, webhook } = delivery
    if (this.#isFull(did) || this.#isFull(webhook.host)) {
      return await postponeDelivery(db, id, nextAttemptAt)
    }
    // The host's first: what waits for it must not spend its account's.
    const waitMs = this.#ofHost.waitMs(webhook.host) || this.#ofAccount.take(did)
    if (waitMs > 0) {
      const subject = this.#ofHost.waitMs(webhook.host) > 0 ? webhook.host : did
      const isPaused = this.#paused.size < pausedMax
      if (isPaused) this.#paused.set(subject, elapsed() + waitMs)
      return await postponeDelivery(db, id, isPaused ? nextAttemptAt : now() + waitMs)
    }
    this.#ofHost.take(webhook.host)
    this.#served.delete(did)
    this.#served.set(did, elapsed())
    const end = this.#deliver(delivery).finally(() => {
      this.#inProgress.delete(delivery)
      this.#context.onEnd?.()
    })
    this.#inProgress.set(delivery, end)
  }

  /** Never throws: what could not be recorded is sent again when its lease is over. */
  async #deliver(delivery: DueDelivery): Promise<void> {
    const { db, log, signal } = this.#context
    const { did, event, id, webhook } = delivery
    try {
      const answered = await sendDelivery(delivery, this.#context)
      const { durationMs, failure, status } = answered
      const end = { durationMs, failure, status, retryAt: this.#retryAt(delivery, answered) }
      const times = { now: this.#context.now(), failingMsMax }
      const endedBy = await recordAttempt(db, delivery, end, times)
      log.debug('webhook delivery attempted', { did, host: webhook.host, event, failure, status })
      if (endedBy !== null) {
        const reason = endedBy
        recordEvent(log, 'webhook_disabled', { did, host: webhook.host, reason })
      }
    } catch (error) {
      if (!signal.aborted) return log.error('webhook delivery failed', { did, error })
      await postponeDelivery(db, id, delivery.nextAttemptAt).catch(() => undefined)
    }
  }

  /** Null: there was no failure, or this was the last attempt. */
  #retryAt({ attempts }: DueDelivery, { failure, retryAfterMs, status }: Answered): number | null {
    const { now, random = Math.random } = this.#context
    const pauseMs = retryPausesMs[attempts - 1]
    const isFinal = failure === null || failure === 'secret-lost' || status === goneStatus
    if (isFinal || pauseMs === undefined) return null
    const jitteredMs = Math.round(pauseMs * (1 + retryJitter * random()))
    return now() + Math.max(jitteredMs, retryAfterMs)
  }
}

const isDid = (name: Did | string): name is Did => name.startsWith('did:')
