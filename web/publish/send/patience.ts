import { ApiError } from '#web/server/api.ts'

/** Why nothing moves for now. */
export type Waiting = 'offline' | 'service' | 'account'

export interface Patience {
  readonly signal: AbortSignal
  /** Called when a try failed and another one follows, and with null when it has worked. */
  readonly onWait: (why: Waiting | null) => void
  readonly delay?: (ms: number, signal: AbortSignal) => Promise<void>
  readonly isOnline?: () => boolean
}

const attemptsMax = 12
const firstDelayMs = 500
const delayMsMax = 20_000
/** A browser without a connection is not asked to try; it may wait for so long. */
const offlineMsMax = 60 * 60_000
/** A server that names a later time has a reason that waiting does not mend. */
const retryAfterSecondsMax = 30

/**
 * Repeats `work` across lost connections and answers that say "later", with backoff and jitter. Throws what the last try
 * threw, and the signal's reason.
 */
export async function patiently<T>(work: () => Promise<T>, patience: Patience): Promise<T> {
  const { signal, onWait, delay = wait, isOnline = () => navigator.onLine } = patience
  let offlineMs = 0
  for (let attempt = 1; ; ) {
    try {
      const result = await work()
      if (attempt > 1 || offlineMs > 0) onWait(null)
      return result
    } catch (error) {
      signal.throwIfAborted()
      if (!isTemporary(error)) throw error
      const ms = delayOf(error, attempt)
      if (isOnline()) {
        if (attempt >= attemptsMax) throw error
        attempt++
        // The service asks the account's server for some answers.
        onWait(error.status === 502 ? 'account' : 'service')
      } else {
        if (offlineMs >= offlineMsMax) throw error
        offlineMs += ms
        onWait('offline')
      }
      await delay(ms, signal)
    }
  }
}

function isTemporary(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) return false
  if ((error.retryAfterSeconds ?? 0) > retryAfterSecondsMax) return false
  return error.status === null || temporaryStatuses.has(error.status)
}

const temporaryStatuses = new Set([408, 425, 429, 502, 503, 504, 507])

function delayOf({ retryAfterSeconds }: ApiError, attempt: number): number {
  const backoff = Math.min(delayMsMax, firstDelayMs * 2 ** (attempt - 1))
  const jitter = backoff * (0.5 + Math.random() / 2)
  return Math.max(jitter, (retryAfterSeconds ?? 0) * 1000)
}

/** Ends early when the connection is back. */
function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = new AbortController()
    const stop = (then: () => void) => () => {
      end.abort()
      clearTimeout(timer)
      then()
    }
    const timer = setTimeout(stop(resolve), ms)
    const { signal: ended } = end
    addEventListener('online', stop(resolve), { signal: ended })
    signal.addEventListener(
      'abort',
      stop(() => reject(signal.reason)),
      { signal: ended },
    )
  })
}
