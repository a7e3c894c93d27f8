import type { Log, LogFields } from './log.ts'

const everyMs = 60_000

/** Of one message: what was left out since a line of it was written. */
interface LeftOut {
  lines: number
  /** Writes the latest of them. */
  writeLast: ((leftOut: number) => void) | null
}

/**
 * For lines that strangers can cause at will: of each message one a minute. At the end of the minute comes the latest of those
 * that were left out, which says in `leftOut` how many others there were.
 */
export function rateLimitedLog(log: Log): Log {
  // Messages are written in the code: there are only so many.
  const written = new Map<string, LeftOut>()
  const write = (message: string, line: () => void): void => {
    line()
    const since: LeftOut = { lines: 0, writeLast: null }
    written.set(message, since)
    // Not worth keeping a process for.
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
