import {
  compareLogLevel,
  configure,
  dispose,
  getLogger,
  type Logger,
  type LogLevel,
  type LogRecord,
} from '@logtape/logtape'
import { type Log, presentable } from './log.ts'
import type { LogEntry, LogMethod, Service } from './log-entry.ts'
import { jsonLine, textLine } from './log-line.ts'
import { currentTrace } from './trace.ts'

/** Where lines go, and in which form. */
export interface LogOptions {
  /** Writes one line, with its end. */
  readonly write: (line: string) => void
  /** Lines below it are not written. */
  readonly level: LogLevel
  readonly format: 'text' | 'json'
  /** Of text. */
  readonly colours?: boolean
  /** Of lines that name no other. */
  readonly service: Service
  /** Gets every entry from `info` up, written or not, and what is written; except those of `unstored`. */
  readonly onEntry?: (entry: LogEntry) => void
  /** Gets the name of every event (`recordEvent`), whether or not its line is written. */
  readonly onEvent?: (event: string) => void
}

/** The log of a process or thread. */
export interface RunningLog extends Log, AsyncDisposable {
  /** For failures of what `onEntry` does: only writes lines. */
  readonly unstored: Log
}

/**
 * Starts writing one line per entry. The logging library has one configuration per process or thread: call this once, in
 * `main`.
 */
export async function startLog(options: LogOptions): Promise<RunningLog> {
  const { colours = false, format, level, onEntry, service, write } = options
  const lineOf = format === 'json' ? jsonLine : (entry: LogEntry) => textLine(entry, { colours })
  const writeLine = (entry: LogEntry): void => write(`${lineOf(entry)}\n`)
  const isWritten = (record: LogRecord): boolean => compareLogLevel(record.level, level) >= 0
  const lowestKept = onEntry !== undefined && compareLogLevel(level, 'info') > 0 ? 'info' : level
  await configure({
    sinks: {
      lines: (record) => writeLine(entryOf(record, service)),
      all: (record) => {
        const entry = entryOf(record, service)
        if (isWritten(record)) writeLine(entry)
        onEntry?.(entry)
      },
    },
    loggers: [
      { category: 'sitehost', sinks: ['all'], lowestLevel: lowestKept },
      {
        category: ['sitehost', 'unstored'],
        sinks: ['lines'],
        parentSinks: 'override',
        lowestLevel: level,
      },
      { category: ['logtape', 'meta'], sinks: ['lines'], lowestLevel: 'warning' },
    ],
    reset: true,
  })
  return {
    ...logOf(getLogger('sitehost'), options),
    unstored: logOf(getLogger(['sitehost', 'unstored']), options),
    [Symbol.asyncDispose]: dispose,
  }
}

function logOf(logger: Logger, { onEvent }: LogOptions): Log {
  return {
    debug: (message, fields) => logger.debug(message, presentable(fields)),
    info: (message, fields) => logger.info(message, presentable(fields)),
    warn: (message, fields) => logger.warn(message, presentable(fields)),
    error: (message, fields) => logger.error(message, presentable(fields, 'with-stacks')),
    count: (event) => onEvent?.(event),
  }
}

function entryOf(
  { level, properties, rawMessage, timestamp }: LogRecord,
  ofProcess: Service,
): LogEntry {
  const { event = null, service = ofProcess, ...context } = properties
  return {
    at: timestamp,
    level: levels[level],
    service: service === 'hosting-service' ? service : ofProcess,
    message: typeof rawMessage === 'string' ? rawMessage : rawMessage.join(''),
    event: typeof event === 'string' ? event : null,
    traceId: currentTrace()?.id ?? null,
    context,
  }
}

const levels: Record<LogLevel, LogMethod> = {
  trace: 'debug',
  debug: 'debug',
  info: 'info',
  warning: 'warn',
  error: 'error',
  fatal: 'error',
}
