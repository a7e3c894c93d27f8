/** One call for each key at a time: callers during a call get its promise. Results are not kept. */
export class SingleFlight<Key, Value> {
  readonly #calls = new Map<Key, Promise<Value>>()

  /** Running calls. */
  get size(): number {
    return this.#calls.size
  }

  has(key: Key): boolean {
    return this.#calls.has(key)
  }

  /** Starts `work` unless a call for this key runs. `isCurrent`: this call has not been forgotten. */
  run(key: Key, work: (isCurrent: () => boolean) => Promise<Value>): Promise<Value> {
    const running = this.#calls.get(key)
    if (running !== undefined) return running
    const isCurrent = (): boolean => this.#calls.get(key) === call
    const call: Promise<Value> = work(isCurrent).finally(() => {
      if (isCurrent()) this.#calls.delete(key)
    })
    this.#calls.set(key, call)
    return call
  }

  /** A running call continues for its callers; the next `run` starts another one. */
  forget(key: Key): void {
    this.#calls.delete(key)
  }

  forgetAll(): void {
    this.#calls.clear()
  }
}
