import {
  endHeadersFlag,
  flagsAt,
  frameHeadAt,
  frameHeaderBytes,
  frameTypes,
  streamAt,
} from './frame-reader.ts'

/** The client's preface (RFC 9113 §3.4). */
const prefaceBytes = 24

const streamBytes = 4

/** A literal field that no table remembers (RFC 7541 §6.2.3): its name and its value follow. */
const neverIndexed = 0x10
/** Of a name or a value: a length up to this takes one byte, and so does the length of the frame with both. */
const literalBytesMax = 126

/**
 * Field blocks of one chunk. A client may have 128 streams open (Bun 1.4.5): it has more in a chunk only if it cancels requests in masses. Frames of
 * nine bytes would otherwise grow to seven times their size.
 */
export const blocksPerChunkMax = 1_024

/**
 * Frames since the last field block that change nothing: pings, settings, priorities, unknown ones, empty DATA, and frames of streams that are not
 * open. Clients send a few for each request, or one every few seconds.
 */
export const idleFramesMax = 10_000

/** The streams of the connection. */
interface Streams {
  isOpen(stream: number): boolean
  /** A field block of the stream has ended. */
  onBlock(stream: number): void
  /** The client has reset the stream. */
  onEnd(stream: number): void
}

/** Behind the last frame of a field block. */
interface BlockEnd {
  readonly at: number
  /** All 32 bits. */
  readonly stream: number
}

/**
 * Adds one field to each field block that a client sends over HTTP/2 (RFC 9113 §4.3): in a CONTINUATION frame of its own after the frame that
 * ended the block. Neither reads nor changes what is compressed: frames can be told apart without it. Keeps at most the header of one frame.
 */
export class FieldInserter {
  /** The CONTINUATION frame with the field. Each block's stream is filled in. */
  readonly #frame: Uint8Array
  /** What passes as it is: of the preface, then of the payload of a frame. */
  #payloadLeft = prefaceBytes
  /** The stream whose block ends with the frame whose payload passes; null: no block does. */
  #endedStream: number | null = null
  /** The beginning of a frame's header. */
  #heldBack: Uint8Array | null = null
  #idleFrames = 0
  readonly #streams: Streams | null

  /** Throws RangeError if the name or the value is too long. Both are ASCII. */
  constructor(name: string, value: string, streams: Streams | null = null) {
    this.#frame = frameOf(name, value)
    this.#streams = streams
  }

  /** Returns the bytes to send instead; null: there are more than `blocksPerChunkMax` or `idleFramesMax`, and the connection is to be ended. Chunks must be passed in order; modifies `received`. */
  insert(received: Uint8Array): Uint8Array | null {
    const bytes = this.#afterHeldBack(received)
    const ends: BlockEnd[] = []
    let at = 0
    while (true) {
      const passed = Math.min(this.#payloadLeft, bytes.length - at)
      this.#payloadLeft -= passed
      at += passed
      if (this.#payloadLeft > 0) break
      if (this.#endedStream !== null) ends.push({ at, stream: this.#endedStream })
      if (ends.length > blocksPerChunkMax || this.#idleFrames > idleFramesMax) return null
      this.#endedStream = null
      if (bytes.length - at < frameHeaderBytes) break
      this.#beginFrame(bytes, at)
      at += frameHeaderBytes
    }
    // A copy: the slice of a Buffer is a view, which would keep the whole chunk.
    if (at < bytes.length) this.#heldBack = Uint8Array.from(bytes.subarray(at))
    const passed = at < bytes.length ? bytes.subarray(0, at) : bytes
    return ends.length === 0 ? passed : this.#withFields(passed, ends)
  }

  #withFields(bytes: Uint8Array, ends: readonly BlockEnd[]): Uint8Array {
    const frame = this.#frame
    const changed = new Uint8Array(bytes.length + ends.length * frame.length)
    changed.set(bytes)
    let shift = ends.length * frame.length
    let movedFrom = bytes.length
    // From the end on, so that nothing is overwritten before it has moved.
    for (let index = ends.length - 1; index >= 0; index--) {
      const { at, stream } = ends[index] as BlockEnd
      changed.copyWithin(at + shift, at, movedFrom)
      movedFrom = at
      shift -= frame.length
      changed.set(frame, at + shift)
      for (let byte = 0; byte < streamBytes; byte++) {
        changed[at + shift + streamAt + byte] = stream >>> (24 - 8 * byte)
      }
    }
    return changed
  }

  /** Reads the header of a frame. One that ends a block no longer does. */
  #beginFrame(bytes: Uint8Array, at: number): void {
    const { flags, payloadBytes, stream, type } = frameHeadAt(bytes, at)
    this.#payloadLeft = payloadBytes
    switch (type) {
      case frameTypes.headers:
      case frameTypes.continuation:
        if ((flags & endHeadersFlag) !== 0) this.#endBlock(bytes, at, stream)
        return
      case frameTypes.reset:
        if (this.#streams?.isOpen(stream) !== true) break
        this.#streams.onEnd(stream)
        return
      case frameTypes.windowUpdate:
        // Of the connection, or of an answer that is being sent.
        if (stream === 0 || this.#streams?.isOpen(stream) !== false) return
        break
      case frameTypes.data:
        if (payloadBytes > 0 && this.#streams?.isOpen(stream) !== false) return
    }
    this.#idleFrames++
  }

  #endBlock(bytes: Uint8Array, at: number, stream: number): void {
    bytes[at + flagsAt] = (bytes[at + flagsAt] as number) & ~endHeadersFlag
    this.#idleFrames = 0
    this.#streams?.onBlock(stream)
    let all = 0
    for (let offset = 0; offset < streamBytes; offset++) {
      all = (all << 8) | (bytes[at + streamAt + offset] as number)
    }
    this.#endedStream = all
  }

  #afterHeldBack(received: Uint8Array): Uint8Array {
    const heldBack = this.#heldBack
    if (heldBack === null) return received
    this.#heldBack = null
    return Buffer.concat([heldBack, received])
  }
}

function frameOf(name: string, value: string): Uint8Array {
  const longest = Math.max(name.length, value.length)
  if (longest > literalBytesMax) throw new RangeError(`${longest} bytes are too long for a field`)
  const [nameBytes, valueBytes] = [Buffer.from(name), Buffer.from(value)]
  const payload = [neverIndexed, name.length, ...nameBytes, value.length, ...valueBytes]
  const head = [0, 0, payload.length, frameTypes.continuation, endHeadersFlag, 0, 0, 0, 0]
  return Uint8Array.from([...head, ...payload])
}
