import { z } from 'zod'
import { json } from '#api/contract/answers.ts'
import { like, literals, sentences } from '#api/contract/messages.ts'
import { defineRoute } from '#api/contract/route.ts'
import { count, did, instant, siteName } from '#api/contract/rows.ts'
import { timeWindow } from './admin-reads.ts'
import {
  adminAccountRow,
  adminDomainRow,
  adminJobRow,
  adminSiteRow,
  certificateTotals,
  jobStatus,
  nextCursor,
  pageQuery,
  searchText,
  takedownRow,
  versionRow,
  workItemRow,
} from './admin-rows.ts'

const ofAdmin = { section: 'ours', access: 'admin', method: 'GET' } as const

/** What the administrator's pages show beyond §4.6. */
export const adminListRoutes = {
  readOverview: defineRoute({
    ...ofAdmin,
    path: '/api/admin/overview',
    isPolled: true,
    summary: 'The service at a glance',
    answers: {
      200: json(
        'The numbers',
        z.strictObject({
          version: z.string(),
          startedAt: instant,
          accounts: count,
          sites: count.describe('That visitors get'),
          bytes: count.describe('Of all live versions, each file counted as often as it is used'),
          diskFreeBytes: count,
          diskTotalBytes: count,
          databaseBytes: count,
          firehose: z.strictObject({
            lagSeconds: z
              .number()
              .nullable()
              .describe(
                'The longest time between an event and its being queued, in the last minute; 0: none came; null: not known',
              ),
            lastEventSeconds: z
              .number()
              .nullable()
              .describe('Age of the latest event that was read; null: none yet, or not known'),
            connected: z.boolean(),
          }),
          queues: z.strictObject({
            sites: count.describe('That wait to be read'),
            versions: count.describe('That wait to be read'),
            accounts: count.describe('That wait to be read'),
            jobs: count.describe('Uploads that have not ended'),
            parked: count.describe('Sites, versions and accounts that were given up'),
          }),
          certificates24h: count.describe('Hosts that got one permitted; at most 1000 are counted'),
          certificates: certificateTotals
            .nullable()
            .describe('Null: not this service keeps certificates, but its TLS front'),
          reportsOpen: count,
          errors24h: count.describe('Distinct errors'),
          lastBackupAt: instant.nullable().describe('null: none is known'),
          hostingReachable: z.boolean(),
          processes: z.array(
            z.strictObject({
              kind: z
                .enum(['core', 'edge', 'service'])
                .describe('Of EDGE_PROCESSES: core and edge; service: one that is both'),
              pid: count,
              startedAt: instant,
              restarts: count.describe('How often its predecessors ended unexpectedly'),
              residentBytes: count.nullable().describe('null: it has not said'),
            }),
          ),
          instances: z
            .array(
              z.strictObject({
                id: z.string(),
                address: z.string().describe('INTERNAL_LISTEN, as a URL'),
                roles: z.string().describe('As in ROLES'),
                version: z.string(),
                startedAt: instant,
                seenSeconds: count.describe('For so long it was not seen'),
                jobs: count.describe('Uploads of it that have not ended'),
                deploys: count.describe('Open ones whose files it has'),
              }),
            )
            .describe('That share the database; none where one process is all there is'),
        }),
      ),
    },
  }),
  readSeries: defineRoute({
    ...ofAdmin,
    path: '/api/admin/series',
    isPolled: true,
    summary: 'Numbers by the minute, for charts',
    query: {
      metric: z.enum(['requests', 'latency', 'errors', 'ingest-lag', 'disk']),
      timeWindow,
    },
    answers: {
      200: json(
        'Oldest minute first; the last one has not ended',
        z.strictObject({
          times: z.array(count).describe('When each minute ended, in milliseconds since 1970'),
          series: z.array(
            z.strictObject({
              name: z.string(),
              values: z
                .array(z.number().nullable())
                .describe(
                  'In requests, milliseconds, seconds (ingest-lag) or bytes (disk); null: not known',
                ),
            }),
          ),
        }),
      ),
    },
    failures: { 400: [like('timeWindow: expected at least 60000')] },
  }),
  readAdminSite: defineRoute({
    ...ofAdmin,
    path: '/api/admin/sites/:did/:rkey',
    summary: 'All about one site',
    params: { did, rkey: siteName },
    answers: {
      200: json(
        'The site',
        z.strictObject({
          site: adminSiteRow,
          account: adminAccountRow,
          takedown: takedownRow
            .nullable()
            .describe('Of its whole account, else its own; null: it is not taken offline here'),
          versions: z.array(versionRow).describe('Newest first'),
          work: workItemRow.nullable().describe('Null: nothing is to be read'),
          jobs: z.array(adminJobRow).describe('The last ones'),
        }),
      ),
    },
    failures: { 404: [literals.siteNotFound] },
  }),
  listAdminAccounts: defineRoute({
    ...ofAdmin,
    path: '/api/admin/accounts',
    summary: 'All accounts, newest first',
    query: { search: searchText('A part of its handle or DID'), ...pageQuery },
    answers: {
      200: json(
        'A page of them',
        z.strictObject({ accounts: z.array(adminAccountRow), cursor: nextCursor }),
      ),
    },
    failures: { 400: [sentences.badCursor, like('limit: expected at most 200')] },
  }),
  readAdminAccount: defineRoute({
    ...ofAdmin,
    path: '/api/admin/accounts/:did',
    summary: 'All about one account',
    params: { did },
    answers: {
      200: json(
        'The account',
        z.strictObject({
          account: adminAccountRow,
          takedown: takedownRow.nullable().describe('Of the account as a whole'),
          limits: z
            .strictObject({
              sitesMax: count.nullable(),
              bytesMax: count.nullable(),
              uploadsPerDayMax: count.nullable(),
            })
            .describe('Its own limits; null: the setting’s'),
          sessions: count.describe('Browsers that are signed in'),
          work: workItemRow
            .nullable()
            .describe('Of the account as a whole; null: nothing is to be read'),
          sites: z.array(adminSiteRow).describe('The newest 50'),
          domains: z.array(adminDomainRow).describe('The first 50 by name'),
          jobs: z.array(adminJobRow).describe('The last ones'),
        }),
      ),
    },
    failures: { 404: [sentences.accountNotFound] },
  }),
  listAdminDomains: defineRoute({
    ...ofAdmin,
    path: '/api/admin/domains',
    summary: 'All names below the base domain and all custom domains, by name',
    query: {
      search: searchText('A part of the name, or the whole DID of its owner'),
      ...pageQuery,
    },
    answers: {
      200: json(
        'A page of them',
        z.strictObject({ domains: z.array(adminDomainRow), cursor: nextCursor }),
      ),
    },
    failures: { 400: [sentences.badCursor, like('limit: expected at most 200')] },
  }),
  listAdminJobs: defineRoute({
    ...ofAdmin,
    path: '/api/admin/jobs',
    summary: 'Uploads of the last day, newest first',
    query: {
      search: searchText('A part of its id, its owner’s DID, its site’s name or its error'),
      status: jobStatus.optional(),
      ...pageQuery,
    },
    answers: {
      200: json(
        'A page of them',
        z.strictObject({ jobs: z.array(adminJobRow), cursor: nextCursor }),
      ),
    },
    failures: { 400: [sentences.badCursor, like('limit: expected at most 200')] },
  }),
}
