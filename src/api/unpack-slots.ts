import { sentences } from '#api/contract/messages.ts'
import type { Did } from '#site/site-address.ts'
import { ConcurrencyLimit } from './concurrency-limit.ts'

/** A small archive that unpacks to a lot takes a core for a second. */
const unpackedPerAccountMax = 1
const unpackedMax = 4
/** Per account, and for the next uploads of all accounts. */
const waitingMax = 100
const unpackWaitMsMax = 60_000

/**
 * A semaphore for unpacking archives: one at a time per account and `unpackedMax` in the process. Uploads wait in
 * order of arrival; an account's second archive does not delay other accounts.
 */
export class UnpackSlots {
  readonly #ofAccount: ConcurrencyLimit
  readonly #ofAll: ConcurrencyLimit

  constructor({ waitMsMax = unpackWaitMsMax }: { readonly waitMsMax?: number } = {}) {
    const busy = { waitingMax, waitMsMax, sentence: sentences.archivesBusy, retryAfterSeconds: 30 }
    this.#ofAccount = new ConcurrencyLimit({ ...busy, max: unpackedPerAccountMax })
    this.#ofAll = new ConcurrencyLimit({ ...busy, max: unpackedMax })
  }

  /** Waits for a permit; dispose of it afterwards. Throws ApiError 429, and the signal's reason. */
  async take(did: Did, signal?: AbortSignal): Promise<Disposable> {
    using slots = new DisposableStack()
    slots.use(await this.#ofAccount.acquire(did, signal))
    slots.use(await this.#ofAll.acquire('all', signal))
    return slots.move()
  }
}
