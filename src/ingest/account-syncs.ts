import { SingleFlight } from '#concurrency/single-flight.ts'
import { ServerUnreachableError } from '#outbound/server-errors.ts'
import type { Did } from '#site/site-address.ts'
import { enqueueAccounts } from '#store/queues/enqueue.ts'
import { type AccountSync, type SyncContext, syncAccount } from './sync-account.ts'

/** Requested syncs at a time. */
export const syncsMax = 8
/** The oldest sync may be preempted after this time: a server may send page after page, each just in time. */
const preemptAfterMs = 30_000
/** Deadline of every sync. */
const syncMsMaxDefault = 15 * 60_000

/** All syncs are in use; the caller can retry in a minute. */
export class SyncsBusyError extends Error {
  override readonly name = 'SyncsBusyError'

  constructor() {
    super('too many accounts are being synced')
  }
}

/** The service is stopping; the caller can retry once it has restarted. */
export class SyncsEndedError extends Error {
  override readonly name = 'SyncsEndedError'

  constructor() {
    super('the service stops')
  }
}

interface RunningSync {
  readonly begunAt: number
  abort(): void
}

/** Requested syncs: one per account at a time, shared by concurrent callers. One that takes too long is enqueued. */
export class AccountSyncs {
  readonly #context: SyncContext
  readonly #syncMsMax: number
  readonly #elapsed: () => number
  readonly #syncs = new SingleFlight<Did, AccountSync>()
  /** Oldest first. */
  readonly #running = new Map<Did, RunningSync>()

  constructor(
    context: SyncContext & { readonly syncMsMax?: number; readonly elapsed?: () => number },
  ) {
    this.#context = context
    this.#syncMsMax = context.syncMsMax ?? syncMsMaxDefault
    this.#elapsed = context.elapsed ?? (() => performance.now())
  }

  /** Throws SyncsBusyError, ServerUnreachableError when it took too long, and what `syncAccount` throws. */
  async run(did: Did): Promise<AccountSync> {
    if (this.#syncs.size >= syncsMax && !this.#syncs.has(did)) this.#preemptOldest()
    return await this.#syncs.run(did, async (isCurrent) => {
      const preempted = new AbortController()
      this.#running.set(did, { begunAt: this.#elapsed(), abort: () => preempted.abort() })
      try {
        return await this.#sync(did, preempted.signal)
      } finally {
        if (isCurrent()) this.#running.delete(did)
      }
    })
  }

  #preemptOldest(): void {
    const [oldest] = this.#running
    if (oldest === undefined) return
    const [did, { begunAt, abort }] = oldest
    if (this.#elapsed() - begunAt < preemptAfterMs) throw new SyncsBusyError()
    this.#syncs.forget(did)
    this.#running.delete(did)
    abort()
  }

  async #sync(did: Did, preempted: AbortSignal): Promise<AccountSync> {
    const { log, signal: stop } = this.#context
    const deadline = AbortSignal.any([preempted, AbortSignal.timeout(this.#syncMsMax)])
    try {
      const signal = AbortSignal.any([stop, deadline])
      return await syncAccount(did, { ...this.#context, signal })
    } catch (cause) {
      if (stop.aborted || !deadline.aborted) throw cause
      log.warn('account sync timed out', { did })
      await enqueueAccounts(this.#context, [did], { isUrgent: true })
      throw new ServerUnreachableError('com.atproto.repo.listRecords', { cause })
    }
  }
}
