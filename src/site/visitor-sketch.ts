/** 2^11 registers: the standard error is 1.04 / √2048, some 2.3 %. */
const registerBits = 11
const registers = 2 ** registerBits
/** What a register can hold: the position of the first 1 in the other bits of a hash. */
const rankMax = 32 - registerBits + 1
const rankBits = 5
/** Above so many, all registers are kept. */
const fewMax = 32

/**
 * How many distinct 32-bit hashes were added, about: a HyperLogLog. It takes 2 kB at most, however many there are, and
 * does not say which.
 */
export class VisitorSketch {
  /** Registers and their ranks, as `packed`; null: there are more. */
  #few: number[] | null = []
  #ranks: Uint8Array | null = null

  /** Null: the string is none that `encode` made. */
  static decode(text: string): VisitorSketch | null {
    const bytes = Buffer.from(text, 'base64')
    const sketch = new VisitorSketch()
    if (bytes.length === registers) {
      sketch.#few = null
      sketch.#ranks = new Uint8Array(bytes)
      return bytes.every((rank) => rank <= rankMax) ? sketch : null
    }
    if (bytes.length % 2 !== 0) return null
    for (let at = 0; at < bytes.length; at += 2) {
      const packed = bytes.readUInt16LE(at)
      if (rankOf(packed) > rankMax) return null
      sketch.#addPacked(packed)
    }
    return sketch
  }

  /** The bits of the hash have to be evenly distributed. */
  add(hash: number): void {
    const rank = Math.min(rankMax, Math.clz32(hash << registerBits) + 1)
    this.#addPacked(((hash >>> (32 - registerBits)) << rankBits) | rank)
  }

  /** Adds what the other one has. */
  merge(other: VisitorSketch): void {
    for (const packed of other.#packed()) this.#addPacked(packed)
  }

  /**
   * By the improved estimator of Ertl (arXiv 1702.01284, algorithm 6), which needs no table of biases for small numbers.
   */
  estimate(): number {
    const counts = new Array<number>(rankMax + 1).fill(0)
    for (const rank of this.#allRanks()) counts[rank] = (counts[rank] ?? 0) + 1
    const countOf = (rank: number): number => counts[rank] ?? 0
    let z = registers * tau(1 - countOf(rankMax) / registers)
    for (let rank = rankMax - 1; rank >= 1; rank--) z = (z + countOf(rank)) / 2
    z += registers * sigma(countOf(0) / registers)
    return Math.round(registers ** 2 / (2 * Math.LN2 * z))
  }

  /** Equal for equal sketches. */
  encode(): string {
    const few = Uint16Array.from(this.#packed())
    const bytes = few.byteLength < registers ? few.sort() : this.#allRanks()
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
  }

  #addPacked(packed: number): void {
    if (this.#few?.includes(packed)) return
    if (this.#few !== null && this.#few.length < fewMax) this.#few.push(packed)
    else raise(this.#keepAll(), packed)
  }

  #keepAll(): Uint8Array {
    this.#ranks ??= this.#allRanks()
    this.#few = null
    return this.#ranks
  }

  #allRanks(): Uint8Array {
    if (this.#ranks !== null) return this.#ranks
    const ranks = new Uint8Array(registers)
    for (const packed of this.#few ?? []) raise(ranks, packed)
    return ranks
  }

  *#packed(): Generator<number> {
    for (const [register, rank] of this.#allRanks().entries()) {
      if (rank > 0) yield (register << rankBits) | rank
    }
  }
}

const rankOf = (packed: number): number => packed & (2 ** rankBits - 1)

function raise(ranks: Uint8Array, packed: number): void {
  const register = packed >>> rankBits
  const rank = rankOf(packed)
  if (rank > (ranks[register] ?? 0)) ranks[register] = rank
}

function sigma(x: number): number {
  if (x === 1) return Number.POSITIVE_INFINITY
  let [power, weight, sum, before] = [x, 1, x, Number.NaN]
  while (sum !== before) {
    power *= power
    before = sum
    sum += power * weight
    weight *= 2
  }
  return sum
}

function tau(x: number): number {
  if (x === 0 || x === 1) return 0
  let [root, weight, sum, before] = [x, 1, 1 - x, Number.NaN]
  while (sum !== before) {
    root = Math.sqrt(root)
    before = sum
    weight /= 2
    sum -= (1 - root) ** 2 * weight
  }
  return sum / 3
}
