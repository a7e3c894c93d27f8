import { PaceHistory, type Party, serversOf } from '#concurrency/pace-history.ts'
import { ConcurrencyLimit } from './concurrency-limit.ts'
import { sentences } from './contract/messages.ts'

/** Deploys that begin at a time, at servers of either pace: each reads an account's records, which may be 32 MB. */
const ofPaceMax = 3
/** Of one registrable domain. */
const ofServerMax = 2
const waitingMax = 100
const waitMsMaxDefault = 10_000
/** An account's server that takes longer to send its records is slow. */
const slowAfterMs = 5_000

interface SlotsOptions {
  /** Monotonic milliseconds. */
  readonly elapsed: () => number
  readonly waitMsMax?: number
}

/**
 * Semaphores for beginning deploys, so that slow account servers delay nobody else: one deploy of an account at a time, a
 * few of a server, and servers that were slow have permits of their own.
 */
export class DeploySlots {
  readonly #elapsed: () => number
  readonly #history: PaceHistory
  readonly #ofAccount: ConcurrencyLimit
  readonly #ofServer: ConcurrencyLimit
  readonly #ofPace: ConcurrencyLimit

  constructor({ elapsed, waitMsMax = waitMsMaxDefault }: SlotsOptions) {
    const sentence = sentences.deploysBusy
    const busy = { waitingMax, waitMsMax, sentence, retryAfterSeconds: 10 }
    this.#elapsed = elapsed
    this.#history = new PaceHistory({ elapsed })
    this.#ofAccount = new ConcurrencyLimit({ ...busy, max: 1 })
    this.#ofServer = new ConcurrencyLimit({ ...busy, max: ofServerMax })
    this.#ofPace = new ConcurrencyLimit({ ...busy, max: ofPaceMax })
  }

  /** Runs `work`, which asks the account's server, with a permit. Throws ApiError 429, and the signal's reason. */
  async use<Result>(
    party: Party,
    signal: AbortSignal,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const server = party.host === null ? '' : (serversOf(party.host).at(-1) ?? '')
    using slots = new DisposableStack()
    slots.use(await this.#ofAccount.acquire(party.account, signal))
    slots.use(await this.#ofServer.acquire(server, signal))
    const pace = this.#history.paceOf(party) === 'slow' ? 'slow' : 'quick'
    slots.use(await this.#ofPace.acquire(pace, signal))
    const startedAt = this.#elapsed()
    try {
      return await work()
    } finally {
      this.#history.record(party, { isSlow: this.#elapsed() - startedAt > slowAfterMs })
    }
  }
}
