import type { OwnFault } from './own-fault.ts'

const hourMs = 60 * 60 * 1000

/**
 * So long may a job take, its waiting for the account's server, our database and our disk included. In half of it the largest file of the
 * default settings is sent at the lowest speed that a server may have.
 */
export const jobMsMaxDefault = 2 * hourMs

/** Told to the owner of a job that took longer. */
export const tooSlowSentence =
  `Your account’s server was too slow: not everything was sent within ${jobMsMaxDefault / hourMs} hours. ` +
  'What was sent so far is kept: upload again, and only the rest is sent. ' +
  'Nothing was published yet.'

/** Between two attempts, where the server does not say how long it takes nothing. */
const pauseMsMin = 10_000
/** The longer a job takes, the longer it leaves its server, and those who wait, alone. */
const pauseShareMin = 1 / 8

/** Until a job is tried again whose attempt ended with a fault of this service. */
const ownFaultPauseMs = 5_000

/** Why an attempt has ended before its job. */
export type AttemptPause =
  /** All files are sent, slowly; the next attempt writes the site. */
  | { readonly kind: 'uploaded' }
  /** Others waited for its lane. */
  | { readonly kind: 'yielded' }
  /** The account's server takes nothing more until `retryAt`. */
  | { readonly kind: 'busy'; readonly retryAt: number }
  | { readonly kind: 'own-fault'; readonly fault: OwnFault }

interface JobTimes {
  /** When the job's first attempt began. */
  readonly startedAt: number
  readonly givesUpAt: number
  readonly now: number
}

/** When the job's next attempt may begin; null when its time is over before. */
export function nextAttemptAt(
  pause: AttemptPause,
  { startedAt, givesUpAt, now }: JobTimes,
): number | null {
  const afterPause = now + Math.max(pauseMsMin, (now - startedAt) * pauseShareMin)
  const at = { uploaded: now, yielded: afterPause, 'own-fault': now + ownFaultPauseMs }
  const next = pause.kind === 'busy' ? Math.max(pause.retryAt, afterPause) : at[pause.kind]
  return next < givesUpAt ? next : null
}
