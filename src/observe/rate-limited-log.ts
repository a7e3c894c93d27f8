import type { Log, LogFields } from './log.ts'

const everyMsDefault = 60_000

/**
 * For lines that strangers can cause at will: of each message one a minute. The next one says in `leftOut` how many there were
 * in between.
 */
export function rateLimitedLog(
  log: Log,
  {
    everyMs = everyMsDefault,
    elapsed = () => performance.now(),
  }: { readonly everyMs?: number; readonly elapsed?: () => number } = {},
): Log {
  // Messages are written in the code: there are only so many.
  const written = new Map<string, { at: number; leftOut: number }>()
  const limited =
    (level: keyof Log) =>
    (message: string, fields: LogFields = {}): void => {
      const last = written.get(message)
      if (last !== undefined && elapsed() - last.at < everyMs) {
        last.leftOut++
        return
      }
      written.set(message, { at: elapsed(), leftOut: 0 })
      const leftOut = last?.leftOut ?? 0
      log[level](message, leftOut > 0 ? { ...fields, leftOut } : fields)
    }
  return {
    debug: limited('debug'),
    info: limited('info'),
    warn: limited('warn'),
    error: limited('error'),
  }
}
