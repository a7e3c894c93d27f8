import { type Deadlines, FetchLimitError, type FetchLimits } from './fetch-limits.ts'

const readAheadBytes = 64 * 1024

export interface Transfer {
  readonly url: URL
  readonly deadlines: Deadlines
  /** Returns the permits when the body ends or fails. Idempotent. */
  readonly release: () => void
}

/** The response, with a body that fails when it exceeds a limit. */
export function boundedResponse(
  response: Response,
  transfer: Transfer,
  limits: FetchLimits,
): Response {
  if (!response.body) {
    transfer.deadlines.disarmAll()
    transfer.release()
    return response
  }
  const source = new BoundedBody(response.body.getReader(), transfer, limits)
  // Read ahead: a small body that nobody reads, such as that of an error, ends automatically.
  const readAhead = new ByteLengthQueuingStrategy({ highWaterMark: readAheadBytes })
  return new Response(new ReadableStream(source, readAhead), response)
}

type BytesReader = ReadableStreamDefaultReader<Uint8Array>
type Controller = ReadableStreamDefaultController<Uint8Array>

class BoundedBody implements UnderlyingDefaultSource<Uint8Array> {
  readonly #reader: BytesReader
  readonly #transfer: Transfer
  readonly #limits: FetchLimits
  readonly #credit: TransferCredit
  #receivedBytes = 0

  constructor(reader: BytesReader, transfer: Transfer, limits: FetchLimits) {
    this.#reader = reader
    this.#transfer = transfer
    this.#limits = limits
    this.#credit = new TransferCredit(limits)
  }

  // Also when nobody is reading: a response that its caller forgets must return its permits.
  start(controller: Controller): void {
    const { signal } = this.#transfer.deadlines
    signal.addEventListener('abort', () => this.#fail(controller, signal.reason))
  }

  async pull(controller: Controller): Promise<void> {
    try {
      const { done, value } = await this.#read()
      if (done) {
        this.#end()
        controller.close()
        return
      }
      this.#receivedBytes += value.byteLength
      if (this.#receivedBytes > this.#limits.responseBytesMax) {
        throw new FetchLimitError('bytes', this.#transfer.url.href)
      }
      controller.enqueue(value)
    } catch (error) {
      this.#fail(controller, error)
    }
  }

  async cancel(reason: unknown): Promise<void> {
    this.#end()
    await this.#reader.cancel(reason)
  }

  async #read(): ReturnType<BytesReader['read']> {
    const { deadlines } = this.#transfer
    const askedAt = performance.now()
    deadlines.arm('idle', this.#limits.idleMs)
    deadlines.arm('rate', this.#credit.ms)
    const chunk = await this.#reader.read()
    deadlines.disarm('idle')
    deadlines.disarm('rate')
    this.#credit.received(chunk.value?.byteLength ?? 0, performance.now() - askedAt)
    return chunk
  }

  #fail(controller: Controller, error: unknown): void {
    this.#end()
    this.#reader.cancel().catch(() => undefined) // the connection is already gone
    controller.error(error)
  }

  #end(): void {
    this.#transfer.deadlines.disarmAll()
    this.#transfer.release()
  }
}

type RateFloor = Pick<FetchLimits, 'bytesPerSecondMin' | 'rateWindowMs'>

/**
 * A token bucket of waiting time: starts with a full window, each millisecond of waiting spends one, each byte
 * earns its share, up to the window. It is empty once any window is slower than the floor, however fast the
 * windows before were. Time that we spend ourselves does not count.
 */
export class TransferCredit {
  readonly #floor: RateFloor
  #ms: number

  constructor(floor: RateFloor) {
    this.#floor = floor
    this.#ms = floor.rateWindowMs
  }

  /** How long to wait for the next bytes at most. */
  get ms(): number {
    return this.#ms
  }

  received(bytes: number, waitedMs: number): void {
    const { bytesPerSecondMin, rateWindowMs } = this.#floor
    const earnedMs = (bytes / bytesPerSecondMin) * 1000
    this.#ms = Math.min(rateWindowMs, Math.max(0, this.#ms - waitedMs) + earnedMs)
  }
}
