import {
  configure,
  dispose,
  getJsonLinesFormatter,
  getLogger,
  type LogLevel,
} from '@logtape/logtape'

/** Structured log lines. Fields with the names of secrets are never written, whatever they hold. */
export interface Log {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}

export type LogFields = Readonly<Record<string, unknown>>

const fieldCharsMax = 512
const secretFields = /token|cookie|secret|password|authorization|nonce|code_verifier|query/i

/**
 * Starts writing one JSON object a line through `write`. The logging library has one configuration for
 * the process: call this once, in `main`.
 */
export async function startLog(
  write: (line: string) => void,
  level: LogLevel,
): Promise<Log & AsyncDisposable> {
  const format = getJsonLinesFormatter()
  await configure({
    sinks: { lines: (record) => write(format(record)) },
    loggers: [
      { category: 'sitehost', sinks: ['lines'], lowestLevel: level },
      { category: ['logtape', 'meta'], sinks: ['lines'], lowestLevel: 'warning' },
    ],
    reset: true,
  })
  const logger = getLogger('sitehost')
  return {
    debug: (message, fields) => logger.debug(message, presentable(fields)),
    info: (message, fields) => logger.info(message, presentable(fields)),
    warn: (message, fields) => logger.warn(message, presentable(fields)),
    error: (message, fields) => logger.error(message, presentable(fields)),
    [Symbol.asyncDispose]: dispose,
  }
}

/** Fields as they may be written: errors as text with their causes, all of it short, no secrets. */
export function presentable(fields: LogFields = {}): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      secretFields.test(name) ? '[redacted]' : presentableValue(value),
    ]),
  )
}

function presentableValue(value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value
  const text = value instanceof Error ? errorText(value) : String(value)
  return text.length > fieldCharsMax ? `${text.slice(0, fieldCharsMax - 1)}…` : text
}

function errorText(error: Error): string {
  const own = `${error.name}: ${error.message}`
  return error.cause instanceof Error ? `${own} <- ${errorText(error.cause)}` : own
}
