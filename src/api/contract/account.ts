import { z } from 'zod'
import { webhookEnds } from '#site/webhook-event.ts'
import { file } from './answers.ts'
import { keptDays, sentences } from './messages.ts'
import { accountServerFailures, defineRoute } from './route.ts'
import {
  count,
  customDomainRow,
  did,
  done,
  instant,
  siteDomainRow,
  siteName,
  times,
} from './rows.ts'
import { tokenScope } from './tokens.ts'

const ofSection = { section: 'ours', access: 'signed-in' } as const

const version = z.strictObject({
  cid: z.string().describe('Of its record'),
  rev: z.string(),
  state: z.enum(['live', 'replaced', 'invalid']),
  problems: z.array(z.string()),
  fileCount: count,
  bytes: count,
  publishedAt: instant,
  seenAt: instant,
  replacedAt: instant.nullable(),
  settings: z.unknown().describe('As learned; this and what follows is null when it is not kept'),
  redirects: z.string().nullable(),
  headers: z.string().nullable(),
  files: z
    .array(z.strictObject({ path: z.string(), cid: z.string(), size: count, type: z.string() }))
    .nullable(),
})

const site = z.strictObject({
  rkey: siteName,
  uri: z.string(),
  url: z.string(),
  domains: z.array(siteDomainRow),
  ...times,
  versions: z.array(version).describe('Newest first'),
  visits: z
    .array(
      z.strictObject({
        day: z.string().meta({ format: 'date' }),
        kind: z.enum(['page', 'referrer', 'country', 'status', 'visitors']),
        value: z.string().nullable().describe('Null: others; of visitors, all'),
        count,
      }),
    )
    .describe('Of the last 90 days'),
})

const job = z.strictObject({
  id: z.string(),
  rkey: siteName,
  status: z.string(),
  progress: z.unknown(),
  result: z.unknown(),
  error: z.string().nullable(),
  createdAt: instant,
  finishedAt: instant.nullable(),
})

const deploy = z.strictObject({
  id: z.string(),
  rkey: siteName,
  plan: z.unknown().describe('The files, and the changes to the site; null: its job has ended'),
  bytes: count,
  createdAt: instant,
  expiresAt: instant,
  committedAt: instant.nullable(),
})

const account = z.strictObject({
  did,
  handle: z.string().nullable(),
  pds: z.string().nullable(),
  status: z.string().nullable(),
  createdAt: instant.nullable(),
  updatedAt: instant.nullable(),
})

const versionRecord = z.strictObject({
  key: z.string(),
  rkey: siteName.nullable(),
  state: z.enum(['kept', 'refused', 'ignored']),
  cid: z.string(),
  rev: z.string(),
  label: z.string().nullable().describe('Of its address'),
  manifest: z.string().nullable().describe('CID of the equal manifest; null: it was never live'),
  alias: z.string().nullable(),
  message: z.string().nullable(),
  source: z.record(z.string(), z.unknown()).nullable(),
  pinned: z.boolean(),
  createdAt: instant,
  expiresAt: instant.nullable(),
  fileCount: count,
  bytes: count,
  filesDigest: z.string().nullable(),
  problems: z.array(z.string()),
  hasContent: z.boolean(),
})

const everything = z.strictObject({
  made: instant,
  account,
  sites: z.array(site),
  sitehostDomains: z.array(
    z.strictObject({
      domain: z.string(),
      rkey: siteName.nullable(),
      primary: z.boolean(),
      ...times,
    }),
  ),
  keptNames: z
    .array(z.strictObject({ domain: z.string(), keptUntil: instant }))
    .describe('Released ones that only this account gets back'),
  customDomains: z.array(
    customDomainRow.extend({
      primary: z.boolean(),
      confirmedAt: instant.nullable(),
      misses: count,
      missingSince: instant.nullable(),
      updatedAt: instant,
    }),
  ),
  versionRecords: z.array(versionRecord).describe('Versions that the account keeps, newest first'),
  jobs: z.array(job).describe('Of the last day'),
  deploys: z.array(deploy).describe('Open ones, and those of the last day'),
  deployTokens: z.array(
    z.strictObject({
      rkey: siteName,
      name: z.string(),
      scope: tokenScope,
      createdAt: instant,
      expiresAt: instant,
      lastUsedAt: instant.nullable(),
      endedBy: z
        .enum(['revoked', 'signed-out'])
        .nullable()
        .describe('Null: it has not ended before its time'),
    }),
  ),
  publishers: z.array(
    z.strictObject({
      rkey: siteName,
      issuer: z.string(),
      repository: z.string(),
      repositoryId: z.string().nullable().describe('The forge’s own id of it'),
      ref: z.string().nullable(),
      environment: z.string().nullable(),
      scope: tokenScope,
      createdAt: instant,
      lastUsedAt: instant.nullable(),
    }),
  ),
  webhooks: z
    .array(
      z.strictObject({
        rkey: siteName.nullable().describe('Null: all sites'),
        url: z.string(),
        events: z.array(z.string()),
        disabledBy: z.enum(webhookEnds).nullable(),
        failingSince: instant.nullable(),
        skipped: count,
        createdAt: instant,
      }),
    )
    .describe('Without their secrets'),
  webhookDeliveries: z
    .array(
      z.strictObject({
        url: z.string(),
        event: z.string(),
        message: z.unknown(),
        state: z.string(),
        attempts: count,
        status: z.int().nullable(),
        failure: z.string().nullable(),
        createdAt: instant,
        attemptedAt: instant.nullable(),
      }),
    )
    .describe('Of the last 30 days'),
  sessions: z.array(
    z.strictObject({
      device: z.string().nullable(),
      createdAt: instant,
      seenAt: instant,
      expiresAt: instant,
    }),
  ),
  uploadedBlobs: z
    .array(z.strictObject({ cid: z.string(), size: count, uploadedAt: instant }))
    .describe('What an unfinished upload left on the account’s server'),
  receivedBlobs: z
    .array(z.strictObject({ cid: z.string(), receivedAt: instant }))
    .describe('Of the last day: uploaded here, or sent by the account’s server'),
  traffic: z
    .array(
      z.strictObject({
        rkey: siteName.nullable().describe('Null: all sites together'),
        day: z.string().meta({ format: 'date' }),
        requests: count,
        bytes: z.int(),
        refused: count,
      }),
    )
    .describe('What visitors took on each of the last 90 days, in UTC'),
  waiting: z
    .array(
      z.strictObject({
        rkey: siteName,
        since: instant,
        attempts: count,
        lastError: z.string().nullable(),
      }),
    )
    .describe('Sites that are yet to be read'),
  complete: z.literal(true).describe('Nothing is missing'),
})

/** Exporting and deleting an account. */
export const accountRoutes = {
  exportAccount: defineRoute({
    ...ofSection,
    confirmsGrant: true,
    method: 'GET',
    path: '/api/user/export',
    limit: 'export',
    summary: 'All data of the account, as one file',
    details:
      'Without tokens and ids of sessions. Sent while it is made: a file without `complete` has broken off.',
    answers: { 200: file('The file', everything) },
    failures: { 429: [sentences.exportRunning] },
  }),
  deleteAccount: defineRoute({
    ...ofSection,
    confirmsGrant: true,
    method: 'DELETE',
    path: '/api/user',
    summary: 'Deletes all data of the account',
    details: `Its sites are not found within a second, its names are kept for ${keptDays} days should it come back, all its browsers are signed out. With \`records\` its records in its own repository are deleted first; when that fails, nothing here has changed.`,
    body: {
      kind: 'json',
      isOptional: true,
      schema: z.object({
        records: z.boolean().optional().describe('Whether to delete the records of its sites, too'),
      }),
    },
    answers: { 200: done },
    failures: {
      409: [sentences.somethingPublished, sentences.recordsChanged],
      ...accountServerFailures,
    },
  }),
}
