import { z } from 'zod'
import { json } from '#api/contract/answers.ts'
import { like, literals, sentences } from '#api/contract/messages.ts'
import { defineRoute } from '#api/contract/route.ts'
import { count, instant } from '#api/contract/rows.ts'
import {
  adminCustomDomainRow,
  adminDomainRow,
  adminSiteRow,
  nextCursor,
  pageQuery,
  searchText,
} from './admin-rows.ts'

const ofAdmin = { section: '4.6', access: 'admin', method: 'GET' } as const

const dayMs = 24 * 60 * 60 * 1000

/** Milliseconds up to now. */
export const timeWindow = z.coerce
  .number()
  .int()
  .min(60_000)
  .max(dayMs)
  .default(60 * 60 * 1000)
  .describe('Milliseconds, to the minute, a day at most')

const milliseconds = z.number().nonnegative().describe('Milliseconds')

const requestSummary = z.strictObject({
  totalRequests: count,
  avgDuration: milliseconds,
  p50Duration: milliseconds,
  p95Duration: milliseconds,
  p99Duration: milliseconds,
  errorRate: z.number().describe('From 0 to 1: answers with a status from 500 on'),
  requestsPerMinute: z.number(),
})

const tier = z.strictObject({
  hits: count,
  misses: count,
  evictions: count,
  bytes: count,
  bytesMax: count,
  entries: count,
})

/** §4.6: what an administrator reads about the service as a whole. */
export const adminReadRoutes = {
  readAdminMetrics: defineRoute({
    ...ofAdmin,
    path: '/api/admin/metrics',
    summary: 'Requests and their durations',
    query: { timeWindow },
    answers: {
      200: json(
        'Of that time; durations in milliseconds, percentiles off by less than 6 %',
        z.strictObject({
          overall: requestSummary,
          mainApp: requestSummary.describe('The application'),
          hostingService: z
            .union([requestSummary, z.strictObject({})])
            .describe('Visitors’ sites; empty while that process cannot be reached'),
          timeWindow: count,
        }),
      ),
    },
    failures: { 400: [like('timeWindow: expected at least 60000')] },
  }),
  readAdminDatabase: defineRoute({
    ...ofAdmin,
    path: '/api/admin/database',
    summary: 'What the database holds',
    answers: {
      200: json(
        'The numbers, and the newest rows',
        z.strictObject({
          stats: z.strictObject({
            totalSites: count,
            totalSubdomains: count,
            totalCustomDomains: count,
            totalAccounts: count,
            databaseBytes: count,
          }),
          recentSites: z.array(adminSiteRow),
          recentDomains: z.array(adminDomainRow),
        }),
      ),
    },
  }),
  readAdminCache: defineRoute({
    ...ofAdmin,
    path: '/api/admin/cache',
    summary: 'What the hosting part keeps in memory',
    answers: {
      200: json('By tier', z.strictObject({ snapshots: tier, bodies: tier, hosts: tier })),
      503: json(
        'The hosting part, or storage, cannot be reached',
        z.union([
          z.strictObject({
            error: z.literal(literals.noCacheStats),
            message: z.literal(literals.hostingUnavailable),
          }),
          z.strictObject({ error: z.string() }),
        ]),
      ),
    },
  }),
  listAdminSites: defineRoute({
    ...ofAdmin,
    path: '/api/admin/sites',
    summary: 'All sites, newest first',
    details:
      'With `search`, `state` or `cursor`, `customDomains` has those that lead to these sites, and the answer has the `cursor` of the next page. Without them, it has all custom domains, newest first, by the same `limit` and `offset`.',
    query: {
      ...pageQuery,
      offset: z.coerce.number().int().min(0).max(10_000_000).default(0),
      search: searchText(
        'A part of the site’s name, of its owner’s DID or of the label of its own host; or the beginning of its owner’s handle or of a name that leads to it',
      ),
      state: z.enum(['live', 'refused', 'hidden', 'offline', 'parked']).optional(),
    },
    answers: {
      200: json(
        'A page of them',
        z.strictObject({
          sites: z.array(adminSiteRow),
          customDomains: z.array(adminCustomDomainRow),
          cursor: nextCursor.optional(),
        }),
      ),
    },
    failures: { 400: [sentences.badCursor, like('limit: expected at most 200')] },
  }),
  readAdminHealth: defineRoute({
    ...ofAdmin,
    path: '/api/admin/health',
    summary: 'How the process is',
    answers: {
      200: json(
        'It runs',
        z.strictObject({
          uptime: z.number().describe('Seconds'),
          memory: z
            .strictObject({ heapUsed: count, heapTotal: count, rss: count })
            .describe('Bytes'),
          timestamp: instant,
        }),
      ),
    },
  }),
}
