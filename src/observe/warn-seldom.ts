import type { Log } from './log.ts'

const everyMs = 10_000

/** Logs a failure that every visitor may meet, at most once in ten seconds. `now`: monotonic milliseconds. */
export function warnSeldom(
  log: Pick<Log, 'warn'>,
  message: string,
  now = () => performance.now(),
): (error: unknown) => void {
  let nextAt = Number.NEGATIVE_INFINITY
  return (error) => {
    if (now() < nextAt) return
    nextAt = now() + everyMs
    log.warn(message, { error })
  }
}
