import type { OwnFault } from './publish-failure.ts'

const hourMs = 60 * 60 * 1000

/**
 * Time limit of a job, including waits for the account's server, our database and our disk. Half of it suffices to
 * send the largest file of the default settings at the lowest speed that a server may have.
 */
export const jobMsMaxDefault = 2 * hourMs

/** The owner's message for a job that exceeds `jobMsMaxDefault`. */
export const tooSlowSentence =
  `Your account’s server was too slow: not everything was sent within ${jobMsMaxDefault / hourMs} hours. ` +
  'What was sent so far is kept: upload again, and only the rest is sent. ' +
  'Nothing was published yet.'

/** The shortest pause after an attempt that yielded or met a busy server. */
const pauseMsMin = 10_000
/** The pause grows with the job's age, which relieves its server and lets waiting jobs run. */
const pauseShareMin = 1 / 8

/** Pause before the next attempt after a fault of this service. */
const ownFaultPauseMs = 5_000

/** Why an attempt ended before its job. */
export type AttemptPause =
  /** All files are sent, slowly; the next attempt writes the site. */
  | { readonly kind: 'uploaded' }
  /** Others waited for its lane. */
  | { readonly kind: 'yielded' }
  /** The account's server takes nothing more until `retryAt`. */
  | { readonly kind: 'busy'; readonly retryAt: number }
  | { readonly kind: 'own-fault'; readonly fault: OwnFault }
  /** The site may have been written: the next attempt reads the repository, and writes only what is not there. */
  | { readonly kind: 'unconfirmed'; readonly until: number }

interface JobTimes {
  /** When the job's first attempt began. */
  readonly startedAt: number
  readonly givesUpAt: number
  readonly now: number
}

/** When the job's next attempt may begin; null if that is after its time limit. */
export function nextAttemptAt(
  pause: AttemptPause,
  { startedAt, givesUpAt, now }: JobTimes,
): number | null {
  const afterPause = now + Math.max(pauseMsMin, (now - startedAt) * pauseShareMin)
  const at = {
    uploaded: now,
    yielded: afterPause,
    unconfirmed: afterPause,
    'own-fault': now + ownFaultPauseMs,
  }
  const next = pause.kind === 'busy' ? Math.max(pause.retryAt, afterPause) : at[pause.kind]
  const end = pause.kind === 'unconfirmed' ? Math.min(pause.until, givesUpAt) : givesUpAt
  return next < end ? next : null
}
