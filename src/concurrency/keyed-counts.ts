/** How many there are of something, in all and by key. Keys of which there are none take no memory. */
export class KeyedCounts {
  readonly #byKey = new Map<string, number>()
  #total = 0

  get total(): number {
    return this.#total
  }

  of(key: string): number {
    return this.#byKey.get(key) ?? 0
  }

  /** Null: counted only in all. A negative `count` takes away. */
  add(key: string | null, count: number): void {
    this.#total += count
    if (key === null) return
    const ofKey = this.of(key) + count
    if (ofKey === 0) this.#byKey.delete(key)
    else this.#byKey.set(key, ofKey)
  }
}
