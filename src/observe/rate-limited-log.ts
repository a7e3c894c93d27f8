import type { Log, LogFields } from './log.ts'
import type { LogMethod } from './log-entry.ts'
import { currentTrace, inTrace, type Trace } from './trace.ts'

const everyMs = 60_000

interface SuppressedLine {
  readonly level: LogMethod
  readonly fields: LogFields
  readonly trace: Trace | null
}

/** Lines of one message suppressed since it was last written. */
interface Suppressed {
  lines: number
  latest: SuppressedLine | null
}

/**
 * Writes each message at most once a minute, for lines that strangers can cause. After the minute writes the latest
 * suppressed line, with the number of other suppressed ones in `leftOut`.
 */
export function rateLimitedLog(log: Log): Log {
  // Bounded: messages are literals in the code.
  const written = new Map<string, Suppressed>()
  const write = (level: LogMethod, message: string, fields: LogFields): void => {
    log[level](message, fields)
    const since: Suppressed = { lines: 0, latest: null }
    written.set(message, since)
    // Does not keep the process alive.
    setTimeout(() => {
      written.delete(message)
      const { latest, lines } = since
      if (latest === null) return
      const { level, trace } = latest
      const leftOut = lines - 1
      const fields = leftOut > 0 ? { ...latest.fields, leftOut } : latest.fields
      inTrace(trace, () => write(level, message, fields))
    }, everyMs).unref()
  }
  const limited =
    (level: LogMethod) =>
    (message: string, fields: LogFields = {}): void => {
      const since = written.get(message)
      if (since === undefined) write(level, message, fields)
      else {
        since.lines++
        since.latest = { level, fields, trace: currentTrace() }
      }
    }
  return {
    debug: limited('debug'),
    info: limited('info'),
    warn: limited('warn'),
    error: limited('error'),
    // Always: only lines are limited.
    count: (event) => log.count?.(event),
  }
}
