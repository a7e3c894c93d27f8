import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Which request caused the work that runs now: its id, as in `traceparent` (https://www.w3.org/TR/trace-context/). It is
 * in every log line of the work, and in the answer as `x-request-id`.
 */
export interface Trace {
  /** 32 hexadecimal digits. */
  readonly id: string
  /** The span of a front that caused it, 16 hexadecimal digits; null: it began here. */
  readonly parentSpan: string | null
  /** What the front decided; null: it began here. */
  readonly isSampled: boolean | null
}

const current = new AsyncLocalStorage<Trace | null>()

/** Null in work that no request caused. */
export const currentTrace = (): Trace | null => current.getStore() ?? null

/** Everything that `work` starts belongs to the trace; null: to none. */
export const inTrace = <T>(trace: Trace | null, work: () => T): T => current.run(trace, work)

export const newTrace = (): Trace => ({
  id: crypto.randomUUID().replaceAll('-', ''),
  parentSpan: null,
  isSampled: null,
})

/** The trace of stored work, such as a job; null for work without one. */
export const traceOf = (id: string | null): Trace | null =>
  id === null ? null : { ...newTrace(), id }

const traceparent =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/

/** Null for a field that the standard calls invalid. */
export function parseTraceparent(field: string | null): Trace | null {
  // Version 00 has nothing after the flags.
  if (field === null || (field.startsWith('00') && field.length !== 55)) return null
  const [, id, parentSpan, flags] = traceparent.exec(field) ?? []
  if (id === undefined || parentSpan === undefined || flags === undefined) return null
  return { id, parentSpan, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}
