/** Too many requests wait for the same host: its answers come slower than we ask. */
export class HostBusyError extends Error {
  override readonly name = 'HostBusyError'
  readonly host: string

  constructor(host: string) {
    super(`too many requests wait for this host; host=${host}`)
    this.host = host
  }
}

/** Lets `slotsMax` holders in at once for each host, in order of arrival; at most `waitingMax` wait. */
export class HostSlots {
  readonly #slotsMax: number
  readonly #waitingMax: number
  readonly #hosts = new Map<string, { taken: number; waiting: (() => void)[] }>()

  constructor({ slotsMax, waitingMax }: { slotsMax: number; waitingMax: number }) {
    this.#slotsMax = slotsMax
    this.#waitingMax = waitingMax
  }

  /** Resolves when a slot is free, with the function that gives it back (safe to call twice). */
  async take(host: string): Promise<() => void> {
    const slots = this.#hosts.get(host) ?? { taken: 0, waiting: [] }
    this.#hosts.set(host, slots)
    if (slots.taken < this.#slotsMax) slots.taken += 1
    else {
      if (slots.waiting.length >= this.#waitingMax) throw new HostBusyError(host)
      await new Promise<void>((resolve) => slots.waiting.push(resolve))
    }
    let held = true
    return () => {
      if (held) this.#release(host)
      held = false
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
