/** Whoever waits longer behind slow answers had better come again later. */
const waitMsMax = 5 * 60_000

/** Too many requests wait for the same host: its answers come slower than we ask. */
export class HostBusyError extends Error {
  override readonly name = 'HostBusyError'
  readonly host: string

  constructor(host: string) {
    super(`too many requests wait for this host; host=${host}`)
    this.host = host
  }
}

/**
 * Lets `slotsMax` holders in at once for each host, in order of arrival; at most `waitingMax` wait, and
 * none of them longer than `waitMsMax`.
 */
export class HostSlots {
  readonly #slotsMax: number
  readonly #waitingMax: number
  readonly #waitMsMax: number
  readonly #hosts = new Map<string, { taken: number; waiting: (() => void)[] }>()

  constructor(options: { slotsMax: number; waitingMax: number; waitMsMax?: number }) {
    this.#slotsMax = options.slotsMax
    this.#waitingMax = options.waitingMax
    this.#waitMsMax = options.waitMsMax ?? waitMsMax
  }

  /**
   * Resolves when a slot is free, with the function that gives it back (safe to call twice). Throws
   * HostBusyError, and the signal's reason when it is aborted while waiting.
   */
  async take(host: string, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted()
    const slots = this.#hosts.get(host) ?? { taken: 0, waiting: [] }
    this.#hosts.set(host, slots)
    if (slots.taken < this.#slotsMax) slots.taken += 1
    else {
      if (slots.waiting.length >= this.#waitingMax) throw new HostBusyError(host)
      await this.#wait(host, slots.waiting, signal)
    }
    let held = true
    return () => {
      if (held) this.#release(host)
      held = false
    }
  }

  async #wait(host: string, waiting: (() => void)[], signal?: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = (reason: unknown): void => {
      const at = waiting.indexOf(resolve)
      if (at === -1) return // it has just been let in
      waiting.splice(at, 1)
      reject(reason)
    }
    const abort = (): void => leave(signal?.reason)
    const timer = setTimeout(() => leave(new HostBusyError(host)), this.#waitMsMax)
    signal?.addEventListener('abort', abort)
    waiting.push(resolve)
    try {
      await promise
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
  }

  // A slot goes straight to the first who waits: `taken` stays, so nobody who comes later overtakes.
  #release(host: string): void {
    const slots = this.#hosts.get(host)
    const next = slots?.waiting.shift()
    if (next) next()
    else if (slots && --slots.taken === 0) this.#hosts.delete(host)
  }
}
