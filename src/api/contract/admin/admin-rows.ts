import { z } from 'zod'
import {
  certificate,
  count,
  customDomainRow,
  did,
  instant,
  siteName,
  siteRow,
} from '#api/contract/rows.ts'
import { certificateProblems, certificateStates } from '#site/certificate-state.ts'

/** Rows of a page. */
export const pageRowsMax = 200
const pageRows = 50

const handle = z.string().nullable().describe('As it was last verified; null: none')

/** For lists that are read page by page. */
export const pageQuery = {
  limit: z.coerce.number().int().min(1).max(pageRowsMax).default(pageRows),
  cursor: z.string().max(2048).optional().describe('Of the page before'),
}

export const nextCursor = z
  .string()
  .nullable()
  .describe('For the next page; null: this is the last one')

export const searchText = (what: string) => z.string().trim().max(253).optional().describe(what)

/** A site as administrators see it. */
export const adminSiteRow = siteRow.extend({
  did,
  handle,
  state: z
    .enum(['live', 'refused', 'hidden', 'offline'])
    .describe(
      'Offline: it or its account is taken down here. Hidden: its account is not active. Refused: the newest version is; an earlier one may be live',
    ),
  parked: z.boolean().describe('Whether reading it was given up until somebody requests it again'),
})

export const adminCustomDomainRow = customDomainRow.extend({ did, handle })

/** A name below the base domain, or a custom domain. */
export const adminDomainRow = z.strictObject({
  type: z.enum(['sitehost', 'custom']),
  id: z.string().nullable().describe('Of a custom domain'),
  domain: z.string(),
  did,
  handle,
  rkey: siteName.nullable().describe('The site that it leads to; null: none'),
  verified: z.boolean().describe('Always true below the base domain'),
  lastCheckedAt: instant.nullable(),
  warning: z.string().nullable(),
  certificate,
  createdAt: instant,
})

/** All certificates that the service orders, or shows from files. */
export const certificateTotals = z.strictObject({
  states: z.record(z.enum(certificateStates), count).describe('How many are in each state'),
  problems: z
    .array(z.strictObject({ kind: z.enum(certificateProblems), count }))
    .describe('Why some are not issued, or not renewed; the most frequent first'),
  soonestExpiryAt: instant.nullable().describe('Of those that are valid and kept; null: none'),
})

export const adminAccountRow = z.strictObject({
  did,
  handle,
  pds: z.string().nullable().describe('The origin of its server, as last seen'),
  status: z.enum(['active', 'deactivated', 'takendown', 'suspended', 'deleted']),
  statusSince: instant,
  sites: count.describe('With a live version'),
  bytes: count.describe('Of its live versions'),
  createdAt: instant,
  updatedAt: instant,
})

export const jobStatus = z.enum(['pending', 'processing', 'uploading', 'completed', 'failed'])

export const adminJobRow = z.strictObject({
  id: z.string(),
  did,
  handle,
  rkey: siteName,
  status: jobStatus,
  error: z.string().nullable().describe('Why it failed'),
  files: count,
  bytes: count,
  createdAt: instant,
  startedAt: instant.nullable(),
  finishedAt: instant.nullable(),
})

/** What ingest still has to read. */
export const workItemRow = z.strictObject({
  attempts: count,
  enqueuedAt: instant,
  nextAttemptAt: instant.nullable().describe('Null: it is parked'),
  lastError: z.string().nullable(),
})

export const versionRow = z.strictObject({
  id: z.string(),
  cid: z.string(),
  rev: z.string(),
  state: z.enum(['live', 'replaced', 'invalid']),
  problems: z.array(z.string()),
  fileCount: count,
  bytes: count,
  publishedAt: instant,
  seenAt: instant,
  replacedAt: instant.nullable(),
})

/** Why an administrator took a site or an account offline here. */
export const takedownRow = z.strictObject({
  scope: z.enum(['site', 'account']).describe('What is offline: one site, or all of the account'),
  status: z.union([z.literal(451), z.literal(404)]).describe('What visitors get'),
  reason: z.string(),
  actor: z.string(),
  at: instant,
})
