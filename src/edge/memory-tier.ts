/** Something that is in memory for as long as there is room. */
export interface Kept<Value> {
  readonly key: string
  /** Null since it had to go. */
  readonly value: Value | null
}

export interface TierStats {
  readonly entries: number
  readonly bytes: number
  readonly bytesMax: number
  readonly hits: number
  readonly misses: number
  readonly evictions: number
}

/**
 * Values by key, bounded by their bytes as whoever keeps them counts. When there is too much, those go
 * that were not used since they were last passed over. Using costs one write, so it may be done in the
 * path of a request; whoever holds on to a `Kept` need not look it up again.
 */
export class MemoryTier<Value> {
  readonly #bytesMax: number
  /** In the order in which they are passed over. */
  readonly #entries = new Map<string, Entry<Value>>()
  #bytes = 0
  #hits = 0
  #misses = 0
  #evictions = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  get stats(): TierStats {
    return {
      entries: this.#entries.size,
      bytes: this.#bytes,
      bytesMax: this.#bytesMax,
      hits: this.#hits,
      misses: this.#misses,
      evictions: this.#evictions,
    }
  }

  *values(): Generator<Value> {
    for (const { value } of this.#entries.values()) if (value !== null) yield value
  }

  find(key: string): Kept<Value> | undefined {
    return this.#entries.get(key)
  }

  /** The value, and that it was of use; null when it is not (or no longer) here. */
  use(kept: Kept<Value> | undefined): Value | null {
    const entry = kept as Entry<Value> | undefined
    if (entry === undefined || entry.value === null) {
      this.#misses++
      return null
    }
    this.#hits++
    entry.isUsed = true
    return entry.value
  }

  /** In place of what was there, and as good as used. What is larger than the tier is not kept: its value is null. */
  keep(key: string, value: Value, bytes: number): Kept<Value> {
    this.forget(key)
    if (bytes > this.#bytesMax) return { key, value: null }
    const entry = { key, value, bytes, isUsed: true }
    this.#entries.set(key, entry)
    this.#bytes += bytes
    this.#makeRoom()
    return entry
  }

  /** Counts more bytes for what is kept under this key. */
  grow(key: string, bytes: number): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    entry.bytes += bytes
    this.#bytes += bytes
    this.#makeRoom()
  }

  forget(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#bytes -= entry.bytes
    entry.value = null
  }

  forgetAll(): void {
    for (const key of this.#entries.keys()) this.forget(key)
  }

  #makeRoom(): void {
    while (this.#bytes > this.#bytesMax) {
      const [oldest] = this.#entries.values()
      if (oldest === undefined) return
      if (oldest.isUsed) this.#passOver(oldest)
      else {
        this.forget(oldest.key)
        this.#evictions++
      }
    }
  }

  #passOver(entry: Entry<Value>): void {
    entry.isUsed = false
    this.#entries.delete(entry.key)
    this.#entries.set(entry.key, entry)
  }
}

interface Entry<Value> {
  readonly key: string
  value: Value | null
  bytes: number
  isUsed: boolean
}
