import { z } from 'zod'
import { events, json } from '#api/contract/answers.ts'
import { like, sentences } from '#api/contract/messages.ts'
import { defineRoute } from '#api/contract/route.ts'
import { searchText } from './admin-rows.ts'

const ofLog = { section: '4.6', access: 'admin', method: 'GET' } as const

/** Of the process: each asks the database once a second. */
export const logStreamsMax = 10

const service = z.enum(['main-app', 'hosting-service'])

/** Several are ANDed. */
const filter = {
  level: z.enum(['debug', 'info', 'warn', 'error']).optional(),
  service: service.optional(),
  search: z
    .string()
    .max(500)
    .optional()
    .describe('Words that an entry has, all of them; the last may be the beginning of one'),
  eventType: z
    .string()
    .regex(/^[a-z_]{1,64}$/)
    .optional()
    .meta({ examples: ['publish_failed'] }),
}

const page = (cursor: RegExp) => ({
  limit: z.coerce.number().int().min(1).max(200).default(100),
  cursor: z
    .string()
    .regex(cursor)
    .optional()
    .describe('As the page before answered it; empty: the first page, and its `cursor`'),
})

const cursor = z
  .string()
  .nullable()
  .optional()
  .describe('For the next page; null: there is none. Only if `cursor` is asked for')
const context = z.record(z.string(), z.unknown())

const logEntry = z.strictObject({
  id: z.string(),
  timestamp: z.iso.datetime(),
  level: z.enum(['debug', 'info', 'warn', 'error']),
  message: z.string(),
  service,
  context,
  traceId: z.string().nullable(),
  eventType: z.string().nullable(),
})

const errorEntry = z.strictObject({
  id: z.string(),
  timestamp: z.iso.datetime().describe('When it was first seen'),
  message: z.string(),
  stack: z.string().nullable(),
  service,
  context: context.describe('Of the last time'),
  count: z.number(),
  lastSeen: z.iso.datetime(),
  traceIds: z.array(z.string()).describe('Of the last requests that had it, at most five'),
})

const badQuery = [like('level: expected one of "debug", "info", "warn", "error"')]

// Digits: all of them are safe integers.
const logCursor = /^(\d{1,15})?$/
const errorCursor = /^(\d{1,15}\.[0-9a-f]{32})?$/

/** `/api/admin/logs` and `/api/admin/errors`: what the log of all parts of the service says. */
export const adminLogRoutes = {
  listLogs: defineRoute({
    ...ofLog,
    path: '/api/admin/logs',
    summary: 'The entries of the log that these filters leave, newest first',
    query: { ...filter, ...page(logCursor) },
    answers: { 200: json('A page', z.strictObject({ logs: z.array(logEntry), cursor })) },
    failures: { 400: badQuery },
  }),
  followLogs: defineRoute({
    ...ofLog,
    section: 'decisions §6',
    path: '/api/admin/logs/stream',
    summary: 'New entries of the log, about a second after they were made',
    details: `Server-sent events, until the session ends. At most ${logStreamsMax} at a time.`,
    query: filter,
    answers: { 200: events('The entries', { log: logEntry }) },
    failures: { 400: badQuery, 429: [sentences.logStreamsOpen] },
  }),
  listErrors: defineRoute({
    ...ofLog,
    path: '/api/admin/errors',
    summary: 'Each distinct error, most recently seen first',
    query: {
      service: service.optional(),
      search: searchText(
        'A part of its message, or of the facts, the stack or a trace of its last time',
      ),
      ...page(errorCursor),
    },
    answers: { 200: json('A page', z.strictObject({ errors: z.array(errorEntry), cursor })) },
    failures: { 400: badQuery },
  }),
}
