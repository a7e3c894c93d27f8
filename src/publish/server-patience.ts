import { setTimeout } from 'node:timers/promises'
import { backoff } from '#concurrency/backoff.ts'
import { orAborted } from '#concurrency/or-aborted.ts'
import { ServerRefusedError, ServerUnreachableError } from '#outbound/server-errors.ts'

/** The account's server takes nothing more until `retryAt`, and that is too long for a call to wait. */
export class ServerBusyError extends Error {
  override readonly name = 'ServerBusyError'
  readonly retryAt: number

  constructor(retryAt: number, options?: ErrorOptions) {
    super(`server takes no more until ${new Date(retryAt).toISOString()}`, options)
    this.retryAt = retryAt
  }
}

export interface Patience {
  readonly signal?: AbortSignal
  readonly now: () => number
  /** A rate limit that ends within this time is waited for, a later one is not. */
  readonly waitMsMax?: number
  /** How many faults are forgiven. */
  readonly faultsMax?: number
  /** The first pause after a fault; each further one is twice the one before, at most `faultDelayMsMax`. */
  readonly faultDelayMs?: number
  /** The least pause after a rate limit; each further one is at least twice the one before. */
  readonly limitDelayMs?: number
}

/** For a call whose answer a person waits for. */
export const patienceOfAPerson = { faultsMax: 2 }

/** Time limit of a whole operation at the account's server that a person waits for. */
export const operationMsMax = 10_000

/**
 * Runs `work` until it ends or `msMax` are over; its calls get the signal. Throws ServerUnreachableError then: a call
 * that was under way may still have its effect.
 */
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

/** Fifteen seconds in all: a server that restarts is back by then. */
const faultsMaxDefault = 5
const faultDelayMsMax = 10_000

/** When a server answers 429 without a time to retry. */
const waitMsDefault = 30_000

/**
 * Repeats a call to an account's server: after its rate limit has passed when that is soon, and a few
 * times, ever later, when it has a fault or does not answer. Throws ServerBusyError and what `call` throws.
 */
export async function withPatience<T>(call: () => Promise<T>, patience: Patience): Promise<T> {
  const { signal, now, waitMsMax = waitMsMaxDefault, faultsMax = faultsMaxDefault } = patience
  const { faultDelayMs = 600, limitDelayMs = 1_000 } = patience
  const faultPauseMs = backoff({ min: faultDelayMs, max: faultDelayMsMax, jitter: 0.2 })
  // What `waitMsMax` leaves of it.
  const limitPauseMs = backoff({ min: limitDelayMs, max: Number.POSITIVE_INFINITY, jitter: 0 })
  const givesUpAt = now() + waitMsMax
  for (let faults = 0, limits = 0; ; ) {
    signal?.throwIfAborted()
    try {
      return await call()
    } catch (error) {
      if (error instanceof ServerRefusedError && error.status === 429) {
        // Clocks differ, and some servers name a time that has passed: never at once again.
        const earliest = now() + limitPauseMs(limits)
        const retryAt = Math.max(error.retryAt ?? now() + waitMsDefault, earliest)
        if (retryAt > givesUpAt) throw new ServerBusyError(retryAt, { cause: error })
        limits += 1
        // Up to a fifth later, so that those who were limited together do not come back together.
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

export const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  setTimeout(Math.max(ms, 0), undefined, { ...(signal && { signal }) })
