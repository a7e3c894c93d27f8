import { KeyedCounts } from '#concurrency/keyed-counts.ts'
import { endStreamFlag, type FrameHead, FrameReader, frameTypes } from './frame-reader.ts'

export interface StreamLimits {
  readonly max: number
  /** Of one client's network. */
  readonly perNetworkMax: number
}

/** A body that is read from disk while it is sent takes an open file and some 256 kB. */
export const defaultStreamLimits: StreamLimits = { max: 4_000, perNetworkMax: 512 }

/** How many streams are open, of all connections over HTTP/2 and of each network. */
export class StreamCounts {
  readonly #limits: StreamLimits
  readonly #counts = new KeyedCounts()
  /** Of each network `perNetworkMax` at most: one alone must not make all networks crowded. */
  #fairTotal = 0

  constructor(limits: StreamLimits = defaultStreamLimits) {
    this.#limits = limits
  }

  get total(): number {
    return this.#counts.total
  }

  /** `network` null: that of a front, whose streams count in the total alone. */
  add(network: string | null, count: number): void {
    const before = this.#fairCountOf(network)
    this.#counts.add(network, count)
    this.#fairTotal += network === null ? count : this.#fairCountOf(network) - before
  }

  /** Whether the network, or all networks together, have more open streams than the limits allow. */
  isCrowded(network: string | null): boolean {
    const { max, perNetworkMax } = this.#limits
    if (this.#fairTotal > max) return true
    return network !== null && this.#counts.of(network) > perNetworkMax
  }

  #fairCountOf(network: string | null): number {
    if (network === null) return 0
    return Math.min(this.#counts.of(network), this.#limits.perNetworkMax)
  }
}

/** The streams of one connection that its client has opened, and whose answers are not passed on to their last byte. */
export class OpenStreams {
  readonly #counts: StreamCounts
  readonly #network: string | null
  readonly #open = new Set<number>()
  readonly #frames = new FrameReader()
  /** Clients open them in order (RFC 9113 §5.1.1). */
  #latest = 0

  constructor(counts: StreamCounts, network: string | null) {
    this.#counts = counts
    this.#network = network
  }

  /** The client has sent a field block: of a request, or trailers. */
  onBlock(stream: number): void {
    if (stream <= this.#latest) return
    this.#latest = stream
    this.#open.add(stream)
    this.#counts.add(this.#network, 1)
  }

  isOpen(stream: number): boolean {
    return this.#open.has(stream)
  }

  /** The client or the server has ended or reset the stream. */
  onEnd(stream: number): void {
    if (this.#open.delete(stream)) this.#counts.add(this.#network, -1)
  }

  /** Bytes of the server, in order. */
  readAnswers(bytes: Uint8Array): void {
    this.#frames.read(bytes, this.#onServerFrame)
  }

  /** No answer can come any more. */
  close(): void {
    this.#counts.add(this.#network, -this.#open.size)
    this.#open.clear()
  }

  readonly #onServerFrame = ({ flags, stream, type }: FrameHead): void => {
    const canEnd = type === frameTypes.data || type === frameTypes.headers
    if (type === frameTypes.reset || (canEnd && (flags & endStreamFlag) !== 0)) this.onEnd(stream)
  }
}
