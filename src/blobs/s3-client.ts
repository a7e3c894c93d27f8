import { backoff } from '#concurrency/backoff.ts'
import { onAbort } from '#concurrency/or-aborted.ts'
import { Semaphore, SemaphoreBusyError } from '#concurrency/semaphore.ts'
import { codeOf } from '#observe/code-of.ts'
import { Tally } from '#observe/tally.ts'
import { BlobStorageError } from './blob-store.ts'
import { S3Body, S3BodyError } from './s3-body.ts'
import { assertSuccess, S3Error } from './s3-error.ts'
import type { S3Location } from './s3-location.ts'
import { type S3Operation, type S3Request, S3Signer, s3Methods } from './s3-request.ts'

/** What is counted: requests by operation, tries after the first, requests that failed, and bytes of blobs. */
export type S3Count = S3Operation | 'retry' | 'failure' | 'sent-bytes' | 'received-bytes'

export interface S3Answer {
  /** Of an object that is not there: 404. */
  readonly isThere: boolean
  readonly body: S3Body
  /** The server's clock, if it says it. */
  readonly date: string | null
}

export interface S3Timing {
  /** How long one try may take until its answer begins, and then without a byte. Transfers have time for their bytes, too. */
  readonly tryMs: number
  /** After this time no other try begins. */
  readonly retryMs: number
  /** The first pause between tries. */
  readonly pauseMs: number
}

export interface S3ClientOptions {
  readonly location: S3Location
  /** Requests that are open at a time. */
  readonly requestsMax: number
  readonly timing?: Partial<S3Timing>
  readonly tally?: Tally<S3Count>
  readonly fetch?: (url: URL, init: BunFetchRequestInit) => Promise<Response>
  readonly random?: () => number
}

const timingDefault: S3Timing = { tryMs: 5_000, retryMs: 10_000, pauseMs: 100 }
/** The slowest transfer that counts as progress. */
const bytesPerMsMin = 16
const pauseMsMax = 2_000
const waitingMax = 4096

/**
 * Signed requests to one S3 API, each with a deadline, and repeated with growing pauses while the failure may pass.
 * A server that asks for a pause (`Retry-After`) gets one from all requests. The operator chose the address, so it may be private.
 */
export class S3Client {
  readonly tally: Tally<S3Count>
  /** What the key of each object begins with. */
  readonly prefix: string
  readonly #timing: S3Timing
  readonly #fetch: NonNullable<S3ClientOptions['fetch']>
  readonly #permits: Semaphore
  readonly #pauseAfter: (failures: number) => number
  readonly #signer: S3Signer
  #pausedUntil = 0

  constructor({
    fetch: send = fetch,
    location,
    random = Math.random,
    requestsMax,
    tally = new Tally(),
    timing,
  }: S3ClientOptions) {
    this.tally = tally
    this.prefix = location.prefix
    this.#signer = new S3Signer(location)
    this.#timing = { ...timingDefault, ...timing }
    this.#fetch = send
    const { pauseMs, retryMs } = this.#timing
    this.#permits = new Semaphore({ max: requestsMax, waitingMax, waitMsMax: retryMs, key: 's3' })
    this.#pauseAfter = backoff({ min: pauseMs, max: pauseMsMax, jitter: 0.5, random })
  }

  /**
   * The result of `read`, which may be called once for each try. Throws BlobStorageError, the signal's reason, and what
   * `read` throws itself.
   */
  async request<Result>(
    request: S3Request,
    read: (answer: S3Answer) => Promise<Result>,
  ): Promise<Result> {
    const { content, operation, signal } = request
    const endsAt = performance.now() + this.#timing.retryMs + transferMs(content?.bytes)
    try {
      using _ = await this.#permits.acquire(signal)
      return await this.#tryAgain(request, read, endsAt)
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      if (!(error instanceof S3Error || error instanceof SemaphoreBusyError)) throw error
      this.tally.add('failure')
      const cause =
        error instanceof S3Error
          ? error
          : new S3Error(
              { operation, status: null, code: null, isTemporary: true },
              { cause: error },
            )
      throw new BlobStorageError('failed', { cause })
    }
  }

  async #tryAgain<Result>(
    request: S3Request,
    read: (answer: S3Answer) => Promise<Result>,
    endsAt: number,
  ): Promise<Result> {
    for (let failures = 0; ; failures++) {
      await this.#waitUntilWelcome(request, endsAt)
      this.tally.add(failures === 0 ? request.operation : 'retry')
      try {
        return await this.#try(request, read, endsAt)
      } catch (error) {
        if (!(error instanceof S3Error) || !error.isTemporary) throw error
        const now = performance.now()
        this.#pausedUntil = Math.max(this.#pausedUntil, now + error.retryAfterMs)
        const pause = this.#pauseAfter(failures)
        if (Math.max(now + pause, this.#pausedUntil) >= endsAt) throw error
        await sleep(pause, request.signal)
      }
    }
  }

  async #waitUntilWelcome({ operation, signal }: S3Request, endsAt: number): Promise<void> {
    if (this.#pausedUntil >= endsAt) {
      throw new S3Error({ operation, status: null, code: 'paused', isTemporary: true })
    }
    const pause = this.#pausedUntil - performance.now()
    if (pause > 0) await sleep(pause, signal)
  }

  async #try<Result>(
    request: S3Request,
    read: (answer: S3Answer) => Promise<Result>,
    endsAt: number,
  ): Promise<Result> {
    const { content, operation } = request
    const stop = new AbortController()
    const tryMs = Math.min(
      this.#timing.tryMs + transferMs(content?.bytes),
      endsAt - performance.now(),
    )
    let timer = setTimeout(() => stop.abort(new S3TimeoutError()), Math.max(1, tryMs))
    using _ = onAbort(request.signal, (reason) => stop.abort(reason))
    try {
      const response = await this.#send(request, stop.signal)
      clearTimeout(timer)
      timer = setTimeout(() => stop.abort(new S3TimeoutError()), this.#timing.tryMs)
      const body: S3Body = new S3Body(response, (sinceMs) => {
        if (sinceMs > this.#timing.tryMs + transferMs(body.length)) stop.abort(new S3TimeoutError())
        timer.refresh()
      })
      await assertSuccess(request, response, body)
      if (content !== undefined) this.tally.add('sent-bytes', content.bytes)
      const isThere = response.status !== 404
      return await read({ isThere, body, date: response.headers.get('date') })
    } catch (error) {
      if (error instanceof S3BodyError) {
        throw new S3Error(
          { operation, status: null, code: null, isTemporary: true },
          { cause: error },
        )
      }
      throw error
    } finally {
      clearTimeout(timer)
      // Ends the body of an answer that was not read to its end.
      stop.abort()
    }
  }

  async #send(request: S3Request, signal: AbortSignal): Promise<Response> {
    const { content, operation } = request
    const { headers, url } = await this.#signer.sign(request)
    try {
      return await this.#fetch(url, {
        method: s3Methods[operation],
        headers,
        body: content?.source ?? null,
        redirect: 'manual',
        // The bytes as they are stored: their hash is checked.
        decompress: false,
        signal,
      })
    } catch (cause) {
      // The library's message may contain the address: only its code is for the log.
      const code = codeOf(cause) ?? null
      throw new S3Error({ operation, status: null, code, isTemporary: true }, { cause })
    }
  }
}

class S3TimeoutError extends Error {
  override readonly name = 'S3TimeoutError'
}

const transferMs = (bytes: number | null = 0): number => (bytes ?? 0) / bytesPerMsMin

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  const { promise, reject, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  const aborting = onAbort(signal, reject)
  return promise.finally(() => {
    clearTimeout(timer)
    aborting[Symbol.dispose]()
  })
}
