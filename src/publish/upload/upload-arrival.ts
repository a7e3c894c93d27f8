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
  /** Below what an upload must have, longer than one may take, or the slowest while others waited for space. */
  readonly reason: 'below-minimum' | 'too-long' | 'gave-way'

  constructor(reason: UploadTooSlowError['reason']) {
    super(`upload too slow; reason=${reason}`)
    this.reason = reason
  }
}

interface ArrivalOptions {
  readonly bytesPerSecondMin?: number
  readonly windowMs?: number
  /** A clock that only goes forward. */
  readonly now?: () => number
}

/** Measures how fast an upload arrives. Only the time that it is waited for counts: a slow disk of ours is not its fault. */
export class UploadArrival implements Arrival {
  readonly #bytesPerSecondMin: number
  readonly #windowMs: number
  readonly #now: () => number
  readonly #ended = new AbortController()
  #bytesPerSecond: number | null = null
  #bytes = 0
  #windowBytes = 0
  #waitedMs = 0
  #waitedBeforeMs = 0
  #waitingSince: number | null = null
  #timer: Timer | undefined

  constructor({
    bytesPerSecondMin = uploadBytesPerSecondMin,
    windowMs = uploadPaceMs,
    now = () => performance.now(),
  }: ArrivalOptions = {}) {
    this.#bytesPerSecondMin = bytesPerSecondMin
    this.#windowMs = windowMs
    this.#now = now
  }

  get bytes(): number {
    return this.#bytes
  }

  /** In the last whole window, or in the first one so far; null: it has only just begun. */
  get bytesPerSecond(): number | null {
    if (this.#bytesPerSecond !== null) return this.#bytesPerSecond
    this.#noteWaiting()
    return this.#waitedMs < uploadPaceGraceMs ? null : (this.#windowBytes * 1000) / this.#waitedMs
  }

  giveWay(): void {
    this.#ended.abort(new UploadTooSlowError('gave-way'))
  }

  /** The same chunks, `onBytes` called with how many bytes there were so far before each is given on. Throws UploadTooSlowError. */
  async *measure(
    body: Readable,
    onBytes: (bytes: number) => Promise<void>,
  ): AsyncGenerator<Uint8Array> {
    const { signal } = this.#ended
    addAbortSignal(signal, body)
    this.#judgeIn(this.#windowMs)
    try {
      this.#waitingSince = this.#now()
      for await (const chunk of body as AsyncIterable<Uint8Array>) {
        this.#noteWaiting()
        this.#waitingSince = null
        this.#windowBytes += chunk.byteLength
        this.#bytes += chunk.byteLength
        if (this.#waitedMs >= this.#windowMs) this.#judge()
        signal.throwIfAborted()
        await onBytes(this.#bytes)
        yield chunk
        this.#waitingSince = this.#now()
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
    this.#noteWaiting()
    const leftMs = this.#windowMs - this.#waitedMs
    if (leftMs > 0) {
      // A timer may come a moment early.
      this.#judgeIn(Math.max(leftMs, 1))
      return
    }
    this.#bytesPerSecond = (this.#windowBytes * 1000) / this.#waitedMs
    if (this.#bytesPerSecond < this.#bytesPerSecondMin) {
      this.#ended.abort(new UploadTooSlowError('below-minimum'))
      return
    }
    this.#waitedBeforeMs += this.#waitedMs
    if (this.#waitedBeforeMs > uploadMsMax) {
      this.#ended.abort(new UploadTooSlowError('too-long'))
      return
    }
    this.#windowBytes = 0
    this.#waitedMs = 0
    this.#judgeIn(this.#windowMs)
  }

  #noteWaiting(): void {
    if (this.#waitingSince === null) return
    const now = this.#now()
    this.#waitedMs += now - this.#waitingSince
    this.#waitingSince = now
  }
}
