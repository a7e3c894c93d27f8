/** One line of the log before it is formatted: bounded, and without secrets. */
export interface LogEntry {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly level: LogMethod
  readonly service: Service
  readonly message: string
  /** The name of an event (`recordEvent`); null for other lines. */
  readonly event: string | null
  /** Of the request that caused it (`Trace`). */
  readonly traceId: string | null
  readonly context: Readonly<Record<string, unknown>>
}

/** The parts of the service: the application, and what serves and ingests sites. */
export type Service = 'main-app' | 'hosting-service'

/** The methods of a log that write a line, each with its level. */
export type LogMethod = 'debug' | 'info' | 'warn' | 'error'
