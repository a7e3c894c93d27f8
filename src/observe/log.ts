import { errorText, isTyped, redactedAndCut, stackText } from './error-text.ts'

/**
 * Structured log lines. Redacts fields named like secrets, and anything that looks like a secret in others. An error
 * in a field becomes one line; an untyped one adds its stack.
 */
export interface Log {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  /** An expected failure that the service handles. */
  warn(message: string, fields?: LogFields): void
  /** A failure that should not happen: every error adds its stack. */
  error(message: string, fields?: LogFields): void
  /** Counts an event (`recordEvent`). Left out: nobody counts. */
  count?(event: string): void
}

export type LogFields = Readonly<Record<string, unknown>>

const fieldCharsMax = 512
const secretFields = /token|cookie|secret|password|authorization|nonce|code_verifier|query/i

/**
 * Fields as they are written: short, redacted, an error as text with its causes. Stacks of untyped errors, or of all,
 * get a field of their own.
 */
export function presentable(
  fields: LogFields = {},
  stacks: 'with-stacks' | 'untyped' = 'untyped',
): Record<string, unknown> {
  const written: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue
    written[name] = secretFields.test(name) ? '[redacted]' : presentableValue(value)
    if (!(value instanceof Error) || (stacks === 'untyped' && isTyped(value))) continue
    written[name === 'error' ? 'stack' : `${name}Stack`] = stackText(value)
  }
  return written
}

function presentableValue(value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value
  if (value instanceof Error) return errorText(value)
  return redactedAndCut(String(value), fieldCharsMax)
}
