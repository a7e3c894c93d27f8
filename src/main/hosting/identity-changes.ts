import { onAbort } from '#concurrency/or-aborted.ts'
import type { Did } from '#site/site-address.ts'

/** A reader that is further behind starts afresh. */
const keptMax = 1_000
/** How long a reader waits for the next change, and then asks again. */
export const changeWaitMsMax = 25_000

/** How far a reader has read. */
export interface SeenChanges {
  /** Of the process that numbered them. */
  readonly run: string
  readonly last: number
}

export interface LaterChanges extends SeenChanges {
  /** The accounts whose identity may have changed since then; null: some are not known any more, it may be any account. */
  readonly dids: readonly Did[] | null
}

/** The latest announced changes of accounts' DID documents, for the process of the application. */
export class IdentityChanges {
  readonly #run = crypto.randomUUID()
  readonly #waitMsMax: number
  #dids: Did[] = []
  /** The number of the last change. */
  #last = 0
  #next = Promise.withResolvers<void>()

  constructor({ waitMsMax = changeWaitMsMax }: { readonly waitMsMax?: number } = {}) {
    this.#waitMsMax = waitMsMax
  }

  add(did: Did): void {
    this.#last++
    this.#dids.push(did)
    if (this.#dids.length > keptMax) this.#dids.shift()
    this.#next.resolve()
    this.#next = Promise.withResolvers()
  }

  /**
   * The changes after those that were seen (null: none were): at once if there are any, else when the next one comes or the
   * wait is over. Null: the signal ended it.
   */
  async after(seen: SeenChanges | null, signal: AbortSignal): Promise<LaterChanges | null> {
    if (seen?.run === this.#run && seen.last === this.#last) await this.#nextOrTimeout(signal)
    if (signal.aborted) return null
    const place = { run: this.#run, last: this.#last }
    if (seen?.run !== this.#run) return { ...place, dids: null }
    const count = this.#last - seen.last
    const isKnown = count >= 0 && count <= this.#dids.length
    return { ...place, dids: isKnown ? this.#dids.slice(this.#dids.length - count) : null }
  }

  async #nextOrTimeout(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, this.#waitMsMax)
    using _ = onAbort(signal, () => resolve())
    await Promise.race([this.#next.promise, promise])
    clearTimeout(timer)
  }
}
