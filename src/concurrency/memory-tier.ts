/** An entry of a `MemoryTier`. */
export interface Kept<Value> {
  readonly key: string
  /** Null once evicted or forgotten. */
  readonly value: Value | null
  readonly bytes: number
}

export interface TierStats {
  readonly entries: number
  readonly bytes: number
  readonly bytesMax: number
  readonly hits: number
  readonly misses: number
  readonly evictions: number
}

/** An owner with more than this share of a tier evicts its own entries. */
const ownerShareMax = 1 / 4

/**
 * A cache bounded by bytes, which its callers count. Evicts with second chances (CLOCK): entries that were not used since
 * they were last passed over; for an owner above `ownerShareMax`, among that owner's entries. A use costs one write, so
 * requests may call it; a caller that keeps a `Kept` need not look it up again.
 */
export class MemoryTier<Value> {
  readonly #bytesMax: number
  /** In the order in which they are passed over. */
  readonly #entries = new Map<string, Entry<Value>>()
  readonly #owners = new Map<string, Owned<Value>>()
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

  /** Returns the value and marks it as used; null when it is not, or no longer, in memory. */
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

  /** Replaces the entry of this key and marks it as used. A value larger than the tier is not kept: null. */
  keep(key: string, value: Value, bytes: number, owner: string | null = null): Kept<Value> {
    this.forget(key)
    if (bytes > this.#bytesMax) return { key, value: null, bytes: 0 }
    const owned = owner === null ? null : this.#ownedBy(owner)
    const entry: Entry<Value> = { key, value, bytes: 0, owned, isUsed: true }
    this.#entries.set(key, entry)
    owned?.entries.add(entry)
    this.#count(entry, bytes)
    this.#makeRoom(entry)
    return entry
  }

  /** Counts more bytes for this key's entry. */
  grow(key: string, bytes: number): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#count(entry, bytes)
    this.#makeRoom(entry)
  }

  forget(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#count(entry, -entry.bytes)
    entry.value = null
    const { owned } = entry
    owned?.entries.delete(entry)
    if (owned?.entries.size === 0) this.#owners.delete(owned.owner)
  }

  forgetAll(): void {
    this.forgetWhere(() => true)
  }

  forgetOwner(owner: string): void {
    for (const { key } of this.#owners.get(owner)?.entries ?? []) this.forget(key)
  }

  forgetWhere(isOver: (value: Value) => boolean): void {
    for (const { key, value } of this.#entries.values()) {
      if (value !== null && isOver(value)) this.forget(key)
    }
  }

  #ownedBy(owner: string): Owned<Value> {
    const known = this.#owners.get(owner) ?? { owner, bytes: 0, entries: new Set() }
    this.#owners.set(owner, known)
    return known
  }

  #count(entry: Entry<Value>, bytes: number): void {
    entry.bytes += bytes
    this.#bytes += bytes
    if (entry.owned !== null) entry.owned.bytes += bytes
  }

  #makeRoom({ owned }: Entry<Value>): void {
    while (this.#bytes > this.#bytesMax) {
      const isOwners = owned !== null && owned.entries.size > 1
      const hasMuch = isOwners && owned.bytes > this.#bytesMax * ownerShareMax
      const [oldest] = hasMuch ? owned.entries : this.#entries.values()
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
    entry.owned?.entries.delete(entry)
    entry.owned?.entries.add(entry)
  }
}

/** One owner's entries in a tier. */
interface Owned<Value> {
  readonly owner: string
  bytes: number
  /** In the order in which they are passed over. */
  readonly entries: Set<Entry<Value>>
}

interface Entry<Value> {
  readonly key: string
  value: Value | null
  bytes: number
  readonly owned: Owned<Value> | null
  isUsed: boolean
}
