import { onAbort } from './or-aborted.ts'

/** Ends the wait of a polling loop early. A wake-up before the wait is not lost; several count as one. */
export class WakeUp {
  #isWoken = false
  #end: () => void = () => undefined

  wake(): void {
    this.#isWoken = true
    this.#end()
  }

  /** Woken since the last wait, or since this was last taken. */
  get isWoken(): boolean {
    return this.#isWoken
  }

  /** Whether it was woken, without waiting; resets it. */
  take(): boolean {
    const isWoken = this.#isWoken
    this.#isWoken = false
    return isWoken
  }

  /** Resolves when it is woken, or at once if it was since the last wait; after `ms`; or on abort. */
  async wait(ms: number, signal?: AbortSignal): Promise<void> {
    if (!this.#isWoken && !signal?.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#end = resolve
      const timer = setTimeout(resolve, ms)
      using _ = onAbort(signal, () => resolve())
      await promise
      clearTimeout(timer)
    }
    this.#isWoken = false
  }
}
