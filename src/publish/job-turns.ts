import { GivesWayError } from '#concurrency/lane.ts'
import { ownFaultOf } from './own-fault.ts'
import { ServerBusyError } from './server-patience.ts'

/**
 * So long may a job take, its waiting for the account's server, our database and our disk included. In half of it the largest file of the
 * default settings is sent at the lowest speed that a server may have.
 */
export const jobMsMaxDefault = 2 * 60 * 60 * 1000

/** Between two turns, where the server does not say how long it takes nothing. */
const pauseMsMin = 10_000
/** The longer a job takes, the longer it leaves its server, and those who wait, alone. */
const pauseShareMin = 1 / 8

/** Until a job is tried again whose attempt ended with a fault of this service. */
const ownFaultPauseMs = 5_000

/** All files are sent, slowly; the next turn writes the site. */
export class EverythingSentError extends Error {
  override readonly name = 'EverythingSentError'

  constructor() {
    super('everything is sent, and it took long')
  }
}

/** The account's server is too slow: the time that a job may take is over. */
export class JobTooSlowError extends Error {
  override readonly name = 'JobTooSlowError'

  constructor(options?: ErrorOptions) {
    super('the job took too long', options)
  }
}

interface JobTimes {
  /** When the job's first turn began. */
  readonly startedAt: number
  readonly givesUpAt: number
  readonly now: number
}

/** When the next turn of a job may begin whose turn ended with `error`; null when there is none. */
export function nextTurnAt(error: unknown, { startedAt, givesUpAt, now }: JobTimes): number | null {
  const afterPause = now + Math.max(pauseMsMin, (now - startedAt) * pauseShareMin)
  const isOver = (at: number): number | null => (at < givesUpAt ? at : null)
  if (error instanceof EverythingSentError) return isOver(now)
  if (ownFaultOf(error) !== null) return isOver(now + ownFaultPauseMs)
  if (error instanceof GivesWayError) return isOver(afterPause)
  if (error instanceof ServerBusyError) return isOver(Math.max(error.retryAt, afterPause))
  return null
}
