import { sentences } from '#api/contract/messages.ts'
import { HostBusyError, HostSlots } from '#concurrency/host-slots.ts'
import type { Did } from '#site/site-address.ts'
import { ApiError } from './errors.ts'

/** A small archive of much takes a core a second. */
const unpackedPerAccountMax = 1
const unpackedAtOnceMax = 4
/** Of all accounts. */
const waitingMax = 100
const unpackWaitMsMax = 60_000

interface SlotsOptions {
  readonly waitMsMax?: number
}

/**
 * A semaphore for unpacking archives: one at a time of each account and `unpackedAtOnceMax` in the process. Uploads wait
 * for their turn in the order in which they arrived; an account's second archive keeps nobody else's waiting.
 */
export class UnpackSlots {
  readonly #ofAccount: HostSlots
  readonly #ofAll: HostSlots

  constructor({ waitMsMax = unpackWaitMsMax }: SlotsOptions = {}) {
    this.#ofAccount = new HostSlots({ slotsMax: unpackedPerAccountMax, waitingMax, waitMsMax })
    this.#ofAll = new HostSlots({ slotsMax: unpackedAtOnceMax, waitingMax, waitMsMax })
  }

  /** Resolves when it is this account's turn; dispose of it afterwards. Throws ApiError 429, and the signal's reason. */
  async take(did: Did, signal?: AbortSignal): Promise<Disposable> {
    using slots = new DisposableStack()
    try {
      slots.defer(await this.#ofAccount.take(did, signal))
      slots.defer(await this.#ofAll.take('all', signal))
    } catch (error) {
      if (!(error instanceof HostBusyError)) throw error
      throw new ApiError(429, sentences.archivesBusy, { 'retry-after': '30' })
    }
    return slots.move()
  }
}
