import { addAbortSignal, type Readable } from 'node:stream'
import { BytePace } from '#concurrency/byte-pace.ts'
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
  readonly #pace: BytePace
  #waitedMs = 0
  #waitingSince: number | null = null
  #timer: Timer | undefined

  constructor(options: ArrivalOptions = {}) {
    this.#options = {
      bytesPerSecondMin: uploadBytesPerSecondMin,
      windowMs: uploadPaceMs,
      now: () => performance.now(),
      ...options,
    }
    this.#pace = new BytePace({
      windowMs: this.#options.windowMs,
      graceMs: uploadPaceGraceMs,
      elapsed: () => this.#elapsedMs(),
    })
  }

  get bytes(): number {
    return this.#pace.bytes
  }

  /** In the last complete window, else in the first one so far; null at the very beginning. */
  get bytesPerSecond(): number | null {
    return this.#pace.bytesPerSecond
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
        this.#waitedMs = this.#elapsedMs()
        this.#waitingSince = null
        this.#pace.add(chunk.byteLength)
        if (this.#pace.windowLeftMs <= 0) this.#judge()
        signal.throwIfAborted()
        await onBytes(this.bytes)
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
    if (!this.#pace.endWindow()) {
      // A timer may come a moment early.
      this.#judgeIn(Math.max(this.#pace.windowLeftMs, 1))
      return
    }
    if ((this.bytesPerSecond ?? 0) < bytesPerSecondMin) this.#end('below-minimum')
    else if (this.#pace.elapsedMs > uploadMsMax) this.#end('too-long')
    else this.#judgeIn(windowMs)
  }

  #end(reason: UploadTooSlowError['reason']): void {
    this.#ended.abort(new UploadTooSlowError(reason))
  }

  /** Time spent waiting for the sender. */
  #elapsedMs(): number {
    if (this.#waitingSince === null) return this.#waitedMs
    return this.#waitedMs + this.#options.now() - this.#waitingSince
  }
}
