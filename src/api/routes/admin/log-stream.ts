import { textStream } from '#api/body-stream.ts'
import type { ApiContext } from '#api/context.ts'
import { isoOf } from '#api/routes/iso-of.ts'
import { streamHeaders } from '#api/routes/job-stream.ts'
import { WakeUp } from '#concurrency/wake-up.ts'
import { lastLogEntryId, listLogEntriesAfter, type StoredLogEntry } from '#store/log/log-entries.ts'
import { type LogFilter, searchedWords, wordsOf } from '#store/log/log-words.ts'

/** Entries that are read at once; a client that is slower than the log is that far behind at most, per read. */
const readMax = 200
const logPollMsDefault = 1_000
const commentEveryMs = 15_000

type LogStreamContext = Pick<ApiContext, 'db' | 'log' | 'logPollMs'>

interface StreamOptions {
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal
  /** False: the session has ended. */
  readonly isSignedIn: () => Promise<boolean>
  /** Called once when the stream ends, for whatever reason. */
  readonly release: () => void
}

/**
 * New entries that the filter leaves, as server-sent events, until the session ends. Reads the database at the client's
 * pace, so that a client that does not read costs no memory.
 */
export async function logStream(
  filter: LogFilter,
  context: LogStreamContext,
  options: StreamOptions,
): Promise<Response> {
  const gone = new AbortController()
  const end = (): void => {
    options.release()
    gone.abort()
  }
  try {
    const signal = AbortSignal.any([options.signal, gone.signal])
    const after = await lastLogEntryId(context.db)
    const body = textStream(logEvents(filter, after, context, { ...options, signal }), end)
    return new Response(body, { headers: streamHeaders })
  } catch (error) {
    end()
    throw error
  }
}

async function* logEvents(
  filter: LogFilter,
  after: number,
  context: LogStreamContext,
  options: StreamOptions,
): AsyncGenerator<string> {
  try {
    yield* entriesAfter(after, filter, context, options)
  } catch (error) {
    // The stream ends without an error: clients connect again and get a status.
    context.log.error('log not streamed', { error })
  }
}

async function* entriesAfter(
  after: number,
  filter: LogFilter,
  { db, logPollMs = logPollMsDefault }: LogStreamContext,
  { isSignedIn, signal }: StreamOptions,
): AsyncGenerator<string> {
  const words = searchedWords(filter)
  const pause = new WakeUp()
  let last = after
  let silentSince = performance.now()
  // At once, so that the client knows that it is connected.
  yield ':\n\n'
  while (!signal.aborted && (await isSignedIn())) {
    const entries = await listLogEntriesAfter(db, last, readMax)
    last = entries.at(-1)?.id ?? last
    const found = entries.filter((entry) => isFound(entry, words))
    if (found.length > 0) yield found.map(eventText).join('')
    else if (performance.now() - silentSince >= commentEveryMs) yield ':\n\n'
    if (found.length > 0 || performance.now() - silentSince >= commentEveryMs) {
      silentSince = performance.now()
    }
    if (entries.length < readMax) await pause.wait(logPollMs, signal)
  }
}

function isFound(entry: StoredLogEntry, words: readonly string[] | null): boolean {
  if (words === null) return false
  if (words.length === 0) return true
  const had = wordsOf(entry)
  return words.every((word) => had.has(word))
}

const eventText = (entry: StoredLogEntry): string =>
  `event: log\ndata: ${JSON.stringify(logRow(entry))}\n\n`

/** An entry as clients see it. */
export const logRow = (entry: StoredLogEntry) => ({
  id: String(entry.id),
  timestamp: isoOf(entry.at),
  level: entry.level,
  message: entry.message,
  service: entry.service,
  context: entry.context,
  traceId: entry.traceId,
  eventType: entry.event,
})
