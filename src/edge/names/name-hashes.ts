import { randomBytes } from 'node:crypto'

/** A name as 53 bits of a keyed hash, which is never 0. */
export type NameHash = number

const hashBits = 53
const shardBits = 8
const slotsMin = 16
/** Of its slots, those that a shard fills before it grows. */
const fullAt = 0.7

/** Hashes with a key of its own, so that nobody can make up names that collide. */
export function nameHasher(key = randomBytes(16).toString('base64')): (name: string) => NameHash {
  return (name) => Number(BigInt.asUintN(hashBits, Bun.hash.wyhash(key + name))) || 1
}

/**
 * A set of hashes, 12 to 23 bytes each: strings in a `Set` take some 200. It grows in parts, a thousandth of a second each for millions.
 */
export class NameHashes {
  readonly #shards = Array.from({ length: 2 ** shardBits }, () => new Shard())

  get size(): number {
    return this.#shards.reduce((sum, { size }) => sum + size, 0)
  }

  has(hash: NameHash): boolean {
    return this.#shardOf(hash).has(hash)
  }

  add(hash: NameHash): void {
    this.#shardOf(hash).add(hash)
  }

  /** Whether it was there. */
  delete(hash: NameHash): boolean {
    return this.#shardOf(hash).delete(hash)
  }

  #shardOf(hash: NameHash): Shard {
    return this.#shards[Math.floor(hash / 2 ** (hashBits - shardBits))] as Shard
  }
}

/** Open addressing with linear probing. */
class Shard {
  size = 0
  #slots = new Float64Array(slotsMin)

  has(hash: NameHash): boolean {
    return this.#slots[this.#find(hash)] === hash
  }

  add(hash: NameHash): void {
    const at = this.#find(hash)
    if (this.#slots[at] === hash) return
    this.#slots[at] = hash
    this.size++
    if (this.size > this.#slots.length * fullAt) this.#grow()
  }

  delete(hash: NameHash): boolean {
    let hole = this.#find(hash)
    if (this.#slots[hole] !== hash) return false
    const mask = this.#slots.length - 1
    // Later ones move up: a search ends at an empty slot.
    for (let at = (hole + 1) & mask; this.#slots[at] !== 0; at = (at + 1) & mask) {
      const moved = this.#slots[at] as number
      const distance = (at - (moved % this.#slots.length)) & mask
      if (distance < ((at - hole) & mask)) continue
      this.#slots[hole] = moved
      hole = at
    }
    this.#slots[hole] = 0
    this.size--
    return true
  }

  /** The slot that has the hash, or is to have it. */
  #find(hash: NameHash): number {
    const mask = this.#slots.length - 1
    let at = hash % this.#slots.length
    while (this.#slots[at] !== 0 && this.#slots[at] !== hash) at = (at + 1) & mask
    return at
  }

  #grow(): void {
    const before = this.#slots
    this.#slots = new Float64Array(before.length * 2)
    for (const hash of before) if (hash !== 0) this.#slots[this.#find(hash)] = hash
  }
}
