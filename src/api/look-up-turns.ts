import type { Did } from '#site/site-address.ts'
import { ApiError } from './errors.ts'

const lookUpsAtOnceMax = 4

/** Counts the look-ups that go on, so that no account has us ask the DNS all day. */
export class LookUpTurns {
  readonly #taken = new Map<Did, number>()

  /** Dispose it when the look-up has ended. Throws ApiError 429. */
  take(did: Did): Disposable {
    const taken = this.#taken.get(did) ?? 0
    if (taken >= lookUpsAtOnceMax) {
      throw new ApiError(429, 'Other domains are being checked. Try again in a few seconds.', {
        'retry-after': '5',
      })
    }
    this.#taken.set(did, taken + 1)
    return { [Symbol.dispose]: () => this.#giveBack(did) }
  }

  #giveBack(did: Did): void {
    const taken = (this.#taken.get(did) ?? 1) - 1
    if (taken === 0) this.#taken.delete(did)
    else this.#taken.set(did, taken)
  }
}
