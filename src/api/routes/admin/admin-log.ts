import type { HandlersOf } from '#api/bind-routes.ts'
import { ConcurrencyLimit } from '#api/concurrency-limit.ts'
import type { ApiContext } from '#api/context.ts'
import { type adminLogRoutes, logStreamsMax } from '#api/contract/admin/admin-log.ts'
import { sentences } from '#api/contract/messages.ts'
import { headOfStream } from '#api/head-length.ts'
import { isoOf } from '#api/routes/iso-of.ts'
import { streamHeaders } from '#api/routes/job-stream.ts'
import type { AdminSessions } from '#api/session/sessions.ts'
import { type ErrorEntry, listErrorEntries } from '#store/log/error-entries.ts'
import { listLogEntries } from '#store/log/log-entries.ts'
import { logRow, logStream } from './log-stream.ts'

/** `/api/admin/logs` and `/api/admin/errors` (interface.md §4.6). */
export function adminLogHandlers(
  context: ApiContext,
  sessions: Pick<AdminSessions, 'lasts'>,
): HandlersOf<typeof adminLogRoutes> {
  const { db, shutdown } = context
  const streams = new ConcurrencyLimit({
    max: logStreamsMax,
    sentence: sentences.logStreamsOpen,
    retryAfterSeconds: 30,
  })
  return {
    listLogs: async ({ query, answer }) => {
      const { cursor, limit, ...filter } = query
      const before = cursor ? Number(cursor) : undefined
      const rows = await listLogEntries(db, filter, { before, limit })
      const logs = rows.map(logRow)
      if (cursor === undefined) return answer(200, { logs })
      const next = rows.length < limit ? null : String(rows.at(-1)?.id)
      return answer(200, { logs, cursor: next })
    },

    followLogs: async ({ query, answer, c }) => {
      // Hono drops the body of an answer to HEAD without cancelling it, so the slot would never be released.
      if (c.req.method === 'HEAD') return answer(200, headOfStream(streamHeaders))
      const permit = await streams.acquire('all')
      const signal = AbortSignal.any([c.req.raw.signal, shutdown.begun])
      // Bun closes a connection that is silent for ten seconds.
      c.env?.server?.timeout(c.req.raw, 0)
      const options = {
        signal,
        // A page that is left open does not keep its session alive.
        isSignedIn: () => sessions.lasts(c.req.raw.headers),
        release: () => permit[Symbol.dispose](),
      }
      return answer(200, await logStream(query, context, options))
    },

    listErrors: async ({ query, answer }) => {
      const { cursor, limit, search, service } = query
      const [lastSeen = '', fingerprint = ''] = cursor?.split('.') ?? []
      const after = cursor ? { lastSeen: Number(lastSeen), fingerprint } : undefined
      const rows = await listErrorEntries(db, { after, limit, search, service })
      const errors = rows.map(errorRow)
      if (cursor === undefined) return answer(200, { errors })
      const last = rows.length < limit ? undefined : rows.at(-1)
      const next = last === undefined ? null : `${last.lastSeen}.${last.fingerprint}`
      return answer(200, { errors, cursor: next })
    },
  }
}

const errorRow = (entry: ErrorEntry) => ({
  id: entry.fingerprint,
  timestamp: isoOf(entry.firstSeen),
  message: entry.message,
  stack: entry.stack,
  service: entry.service,
  context: entry.context,
  count: entry.count,
  lastSeen: isoOf(entry.lastSeen),
  traceIds: entry.traceIds,
})
