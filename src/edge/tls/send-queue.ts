import type { ByteSocket } from './secure-connection.ts'

/** Of so many that wait, no more are to be sent. Less is not worth the system calls that stop the producer and let it continue. */
const waitingBytesMax = 65_536

/** Bytes for a socket, of which some wait until it takes them. */
export class SendQueue {
  #socket: ByteSocket | null
  readonly #waiting: Uint8Array[] = []
  #waitingBytes = 0

  /** Without a socket, all bytes wait. */
  constructor(socket: ByteSocket | null = null) {
    this.#socket = socket
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  /** False: send no more until `flush` returns true. */
  send(bytes: Uint8Array): boolean {
    const rest = this.#waiting.length === 0 ? this.#write(bytes) : bytes
    if (rest === null) return true
    this.#waiting.push(rest)
    this.#waitingBytes += rest.length
    return this.#waitingBytes < waitingBytesMax
  }

  /** Drops what waits: nobody takes it any more. */
  clear(): void {
    this.#waiting.length = 0
    this.#waitingBytes = 0
  }

  /** The socket is open now. True: nothing waits. */
  sendTo(socket: ByteSocket): boolean {
    this.#socket = socket
    return this.flush()
  }

  /** Sends what waits, as far as the socket takes it. True: nothing waits any more. */
  flush(): boolean {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      const rest = this.#write(first)
      this.#waitingBytes -= first.length - (rest?.length ?? 0)
      if (rest !== null) {
        this.#waiting[0] = rest
        return false
      }
      this.#waiting.shift()
    }
    return true
  }

  /** What the socket did not take; null: it has taken all. */
  #write(bytes: Uint8Array): Uint8Array | null {
    // Less than 0: it is closed, and says so next.
    const written = Math.max(0, this.#socket?.write(bytes) ?? 0)
    return written >= bytes.length ? null : bytes.subarray(written)
  }
}
