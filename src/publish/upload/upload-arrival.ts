import { addAbortSignal, type Readable } from 'node:stream'
import {
  uploadBytesPerSecondMin,
  uploadMsMax,
  uploadPaceGraceMs,
  uploadPaceMs,
} from '#site/limits.ts'
import type { Arrival } from './spool-shares.ts'

/** The upload was ended because of its pace. */
export class UploadTooSlowError extends Error {
  override readonly name = 'UploadTooSlowError'
  /** Below the minimum pace, over the time limit, or the slowest while others waited for space. */
  readonly reason: 'below-minimum' | 'too-long' | 'gave-way'

  constructor(reason: UploadTooSlowError['reason']) {
    super(`upload too slow; reason=${reason}`)
    this.reason = reason
  }
}

interface ArrivalOptions {
  readonly bytesPerSecondMin?: number
  readonly windowMs?: number
  /** A monotonic clock. */
  readonly now?: () => number
}

/** Measures how fast an upload arrives, and ends one that is too slow. Only time spent waiting for the sender counts, not for our disk. */
export class UploadArrival implements Arrival {
  readonly #options: Required<ArrivalOptions>
  readonly #ended = new AbortController()
  #bytesPerSecond: number | null = null
  #bytes = 0
  #windowBytes = 0
  #waitedMs = 0
  #waitedBeforeMs = 0
  #waitingSince: number | null = null
  #timer: Timer | undefined

  constructor(options: ArrivalOptions = {}) {
    this.#options = {
      bytesPerSecondMin: uploadBytesPerSecondMin,
      windowMs: uploadPaceMs,
      now: () => performance.now(),
      ...options,
    }
  }

  get bytes(): number {
    return this.#bytes
  }

  /** In the last complete window, else in the first one so far; null at the very beginning. */
  get bytesPerSecond(): number | null {
    if (this.#bytesPerSecond !== null) return this.#bytesPerSecond
    this.#noteWaiting()
    return this.#waitedMs < uploadPaceGraceMs ? null : (this.#windowBytes * 1000) / this.#waitedMs
  }

  giveWay(): void {
    this.#end('gave-way')
  }

  /** Yields the same chunks; calls `onBytes` with the bytes so far before each. Throws UploadTooSlowError. */
  async *measure(
    body: Readable,
    onBytes: (bytes: number) => Promise<void>,
  ): AsyncGenerator<Uint8Array> {
    const { signal } = this.#ended
    const { now, windowMs } = this.#options
    addAbortSignal(signal, body)
    this.#judgeIn(windowMs)
    try {
      this.#waitingSince = now()
      for await (const chunk of body as AsyncIterable<Uint8Array>) {
        this.#noteWaiting()
        this.#waitingSince = null
        this.#windowBytes += chunk.byteLength
        this.#bytes += chunk.byteLength
        if (this.#waitedMs >= windowMs) this.#judge()
        signal.throwIfAborted()
        await onBytes(this.#bytes)
        yield chunk
        this.#waitingSince = now()
      }
    } catch (error) {
      throw signal.aborted ? signal.reason : error
    } finally {
      this.#waitingSince = null
      clearTimeout(this.#timer)
    }
  }

  #judgeIn(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#judge(), ms)
  }

  #judge(): void {
    const { bytesPerSecondMin, windowMs } = this.#options
    this.#noteWaiting()
    const leftMs = windowMs - this.#waitedMs
    if (leftMs > 0) {
      // A timer may come a moment early.
      this.#judgeIn(Math.max(leftMs, 1))
      return
    }
    this.#bytesPerSecond = (this.#windowBytes * 1000) / this.#waitedMs
    this.#waitedBeforeMs += this.#waitedMs
    if (this.#bytesPerSecond < bytesPerSecondMin) this.#end('below-minimum')
    else if (this.#waitedBeforeMs > uploadMsMax) this.#end('too-long')
    else {
      this.#windowBytes = 0
      this.#waitedMs = 0
      this.#judgeIn(windowMs)
    }
  }

  #end(reason: UploadTooSlowError['reason']): void {
    this.#ended.abort(new UploadTooSlowError(reason))
  }

  #noteWaiting(): void {
    if (this.#waitingSince === null) return
    const now = this.#options.now()
    this.#waitedMs += now - this.#waitingSince
    this.#waitingSince = now
  }
}
