import type { Log, LogFields } from './log.ts'

const everyMs = 60_000

/** The lines of one message suppressed since the last one was written. */
interface LeftOut {
  lines: number
  /** Writes the latest suppressed line. */
  writeLast: ((leftOut: number) => void) | null
}

/**
 * Writes each message at most once a minute, for lines that strangers can cause. After the minute writes the latest
 * suppressed line, with the number of other suppressed ones in `leftOut`.
 */
export function rateLimitedLog(log: Log): Log {
  // Bounded: messages are literals in the code.
  const written = new Map<string, LeftOut>()
  const write = (message: string, line: () => void): void => {
    line()
    const since: LeftOut = { lines: 0, writeLast: null }
    written.set(message, since)
    // Does not keep the process alive.
    setTimeout(() => {
      written.delete(message)
      const { lines, writeLast } = since
      if (writeLast !== null) write(message, () => writeLast(lines - 1))
    }, everyMs).unref()
  }
  const limited =
    (level: keyof Log) =>
    (message: string, fields: LogFields = {}): void => {
      const since = written.get(message)
      if (since === undefined) {
        write(message, () => log[level](message, fields))
        return
      }
      since.lines++
      since.writeLast = (leftOut) =>
        log[level](message, leftOut > 0 ? { ...fields, leftOut } : fields)
    }
  return {
    debug: limited('debug'),
    info: limited('info'),
    warn: limited('warn'),
    error: limited('error'),
  }
}
