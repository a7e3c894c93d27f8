import { setTimeout } from 'node:timers/promises'
import { backoff } from '#concurrency/backoff.ts'
import { orAborted } from '#concurrency/or-aborted.ts'
import { ServerRefusedError, ServerUnreachableError } from '#outbound/server-errors.ts'

/** The account's server accepts nothing more until `retryAt`, which is too long for a call to wait. */
export class ServerBusyError extends Error {
  override readonly name = 'ServerBusyError'
  readonly retryAt: number

  constructor(retryAt: number, options?: ErrorOptions) {
    super(`server takes no more until ${new Date(retryAt).toISOString()}`, options)
    this.retryAt = retryAt
  }
}

/** Resolves after `ms`, or rejects when the signal aborts. */
export type Pause = (ms: number, signal: AbortSignal | undefined) => Promise<void>

export interface Patience {
  readonly signal?: AbortSignal
  readonly now: () => number
  /** Left out: `pauseByTimer`. */
  readonly pause?: Pause | undefined
  /** Longest wait for the end of a rate limit. */
  readonly waitMsMax?: number
  /** Retries after faults. */
  readonly faultsMax?: number
}

/** For a call whose answer a person waits for. */
export const patienceOfAPerson = { faultsMax: 2 }

/** Time limit of an operation at the account's server that a person waits for. */
export const operationMsMax = 10_000

/** Throws ServerUnreachableError after `msMax`. A call that was in progress may still take effect. */
export async function withinTime<T>(
  operation: string,
  work: (signal: AbortSignal) => Promise<T>,
  msMax = operationMsMax,
): Promise<T> {
  const signal = AbortSignal.timeout(msMax)
  try {
    return await orAborted(work(signal), signal)
  } catch (error) {
    if (!isAbort(error)) throw error
    throw new ServerUnreachableError(operation, { cause: error })
  }
}

const isAbort = (error: unknown): boolean =>
  error instanceof Error && ['AbortError', 'TimeoutError'].includes(error.name)

/** Callers that can wait longer do so outside, without holding the call's resources. */
const waitMsMaxDefault = 3_000

/** Fifteen seconds in all: by then a restarted server is back. */
const faultsMaxDefault = 5
const faultPauseMs = backoff({ min: 600, max: 10_000, jitter: 0.2 })
/** The shortest pauses after rate limits. */
const limitPauseMs = backoff({ min: 1_000, max: Number.POSITIVE_INFINITY, jitter: 0 })

/** When a server answers 429 without a time to retry. */
const waitMsDefault = 30_000

/**
 * Retries a call to an account's server: with backoff when the server fails or does not answer, and when a rate limit
 * ends soon. Throws ServerBusyError and what `call` throws.
 */
export async function withPatience<T>(call: () => Promise<T>, patience: Patience): Promise<T> {
  const { signal, now, waitMsMax = waitMsMaxDefault, faultsMax = faultsMaxDefault } = patience
  const { pause = pauseByTimer } = patience
  const givesUpAt = now() + waitMsMax
  for (let faults = 0, limits = 0; ; ) {
    signal?.throwIfAborted()
    try {
      return await call()
    } catch (error) {
      if (error instanceof ServerRefusedError && error.status === 429) {
        // Clocks differ, and some servers name a time in the past: never retried immediately.
        const earliest = now() + limitPauseMs(limits)
        const retryAt = Math.max(error.retryAt ?? now() + waitMsDefault, earliest)
        if (retryAt > givesUpAt) throw new ServerBusyError(retryAt, { cause: error })
        limits += 1
        // Jitter: calls that were limited together do not return together.
        await pause((retryAt - now()) * (1 + Math.random() / 5), signal)
      } else if (isPassing(error) && faults < faultsMax) {
        await pause(faultPauseMs(faults), signal)
        faults += 1
      } else {
        throw error
      }
    }
  }
}

const isPassing = (error: unknown): boolean =>
  error instanceof ServerUnreachableError ||
  (error instanceof ServerRefusedError && error.status >= 500 && error.status !== 501)

export const pauseByTimer: Pause = (ms, signal) =>
  setTimeout(Math.max(ms, 0), undefined, { ...(signal && { signal }) })
