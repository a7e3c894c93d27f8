import {
  configure,
  dispose,
  getJsonLinesFormatter,
  getLogger,
  type LogLevel,
} from '@logtape/logtape'
import { errorText, isTyped, redactedAndCut, stackText } from './error-text.ts'

/**
 * Structured log lines. Fields with the names of secrets are never written, whatever they hold, nor is what looks
 * like a secret in any other. An error among the fields is one line of text; one that nobody foresaw brings its stack.
 */
export interface Log {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  /** Something failed, and the service knows what to do about it. */
  warn(message: string, fields?: LogFields): void
  /** Something failed that should not: whatever error it was brings its stack. */
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
    error: (message, fields) => logger.error(message, presentable(fields, 'with-stacks')),
    [Symbol.asyncDispose]: dispose,
  }
}

/**
 * Fields as they may be written: short, no secrets, an error as text with its causes. Stacks, in a field of their
 * own, of errors that nobody foresaw, or of all.
 */
export function presentable(
  fields: LogFields = {},
  stacks: 'with-stacks' | 'unforeseen' = 'unforeseen',
): Record<string, unknown> {
  const written: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) {
    written[name] = secretFields.test(name) ? '[redacted]' : presentableValue(value)
    if (!(value instanceof Error) || (stacks === 'unforeseen' && isTyped(value))) continue
    written[name === 'error' ? 'stack' : `${name}Stack`] = stackText(value)
  }
  return written
}

function presentableValue(value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value
  if (value instanceof Error) return errorText(value)
  return redactedAndCut(String(value), fieldCharsMax)
}
