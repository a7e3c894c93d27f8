/**
 * A map of at most `keysMax` keys, which forgets those that were not set for longest; half as many are
 * remembered for certain. In two generations: a map from whose front single keys are taken gets slow (31 µs a
 * key measured, Bun 1.4.5).
 */
export class RecentMap<Value> {
  #recent = new Map<string, Value>()
  #before = new Map<string, Value>()
  readonly #keysMax: number

  constructor(keysMax: number) {
    this.#keysMax = keysMax
  }

  get(key: string): Value | undefined {
    return this.#recent.get(key) ?? this.#before.get(key)
  }

  set(key: string, value: Value): void {
    this.#recent.set(key, value)
    if (this.#recent.size < this.#keysMax / 2) return
    this.#before = this.#recent
    this.#recent = new Map()
  }

  delete(key: string): void {
    this.#recent.delete(key)
    this.#before.delete(key)
  }
}
