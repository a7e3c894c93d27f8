// RFC 9113 §4.1.
export const frameHeaderBytes = 9
const typeAt = 3
export const flagsAt = 4
export const streamAt = 5

/** Of the types in RFC 9113 §6, the ones that we distinguish. */
export const frameTypes = {
  data: 0,
  headers: 1,
  reset: 3,
  windowUpdate: 8,
  continuation: 9,
} as const

/** Of HEADERS and DATA. */
export const endStreamFlag = 0x01
/** Of HEADERS and CONTINUATION. */
export const endHeadersFlag = 0x04

/** The header of a frame. */
export interface FrameHead {
  readonly payloadBytes: number
  readonly type: number
  readonly flags: number
  /** Without the reserved bit. */
  readonly stream: number
}

/** `bytes` has the whole header from `at` on. */
export function frameHeadAt(bytes: Uint8Array, at: number): FrameHead {
  const byte = (offset: number): number => bytes[at + offset] as number
  const stream =
    (byte(streamAt) << 24) |
    (byte(streamAt + 1) << 16) |
    (byte(streamAt + 2) << 8) |
    byte(streamAt + 3)
  return {
    payloadBytes: (byte(0) << 16) | (byte(1) << 8) | byte(2),
    type: byte(typeAt),
    flags: byte(flagsAt),
    stream: stream & 0x7fffffff,
  }
}

/** Tells the frames of one direction of a connection apart, however their bytes come. Keeps at most the header of one frame. */
export class FrameReader {
  readonly #header = new Uint8Array(frameHeaderBytes)
  #headerBytes = 0
  #payloadLeft = 0

  /** Calls `onFrame` for each frame whose header ends in this chunk. Chunks must be passed in order. */
  read(bytes: Uint8Array, onFrame: (head: FrameHead) => void): void {
    let at = 0
    while (at < bytes.length) {
      if (this.#payloadLeft > 0) {
        const passed = Math.min(this.#payloadLeft, bytes.length - at)
        this.#payloadLeft -= passed
        at += passed
        continue
      }
      const taken = Math.min(frameHeaderBytes - this.#headerBytes, bytes.length - at)
      this.#header.set(bytes.subarray(at, at + taken), this.#headerBytes)
      this.#headerBytes += taken
      at += taken
      if (this.#headerBytes < frameHeaderBytes) return
      this.#headerBytes = 0
      const head = frameHeadAt(this.#header, 0)
      this.#payloadLeft = head.payloadBytes
      onFrame(head)
    }
  }
}
