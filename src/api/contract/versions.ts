import { z } from 'zod'
import {
  aliasCharsMax,
  messageGraphemesMax,
  overAccountBytes,
  overAccountSites,
  overUploadsPerDay,
  previewDaysMax,
} from '#site/limits.ts'
import { nextCursor, pageQuery } from './admin/admin-rows.ts'
import { json, type Sent } from './answers.ts'
import { like, noOwnSite, sentences, takenDownSentence } from './messages.ts'
import { accountServerFailures, defineRoute } from './route.ts'
import { count, instant, siteName } from './rows.ts'
import { notThere, ofVersion, versionFileRoutes, versionId } from './version-files.ts'

/** A version as its owner sees it. */
const versionRow = z.strictObject({
  id: versionId,
  uri: z.string().describe('Of its record in the owner’s repository'),
  state: z
    .enum(['live', 'replaced', 'preview', 'refused', 'expired'])
    .describe('Expired: its files are not stored here any more'),
  createdAt: instant,
  publishedAt: instant.nullable().describe('Null: it has never been live'),
  fileCount: count,
  bytes: count,
  message: z.string().nullable(),
  source: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe('Where the files come from: `repository`, `commit`, `ref`, `url`'),
  alias: z.string().nullable().describe('Of a preview'),
  pinned: z.boolean(),
  expiresAt: instant.nullable(),
  url: z.string().nullable().describe('Its own address; null: it has none'),
  previewUrl: z.string().nullable().describe('The address of its alias; null: it has none'),
  by: z
    .enum(['owner', 'other-program'])
    .nullable()
    .describe(
      '`other-program`: no version record describes it; null: one that is not read yet may',
    ),
  problems: z.array(z.string()).describe('Why it was refused, or what to fix'),
})

export type VersionRow = Sent<z.output<typeof versionRow>>

const removed = z.strictObject({
  success: z.literal(true),
  removed: z.strictObject({
    records: z.array(z.string()).describe('The `at://` addresses of deleted records'),
    blobs: count.describe('Files that were stored here, and that nothing else names'),
    bytes: count.describe('Of these files, as they were stored'),
  }),
})

const takenDown = like(takenDownSentence({ site: 'blog', reason: 'phishing' }))

/** `/api/site/:rkey/versions`: what a site has been. */
export const versionRoutes = {
  listVersions: defineRoute({
    ...ofVersion,
    method: 'GET',
    path: '/api/site/:rkey/versions',
    limit: 'versionList',
    summary: 'The versions of a site, newest first',
    details: 'Previews too, and what other programs have published.',
    params: { rkey: siteName },
    query: pageQuery,
    answers: {
      200: json('A page', z.strictObject({ versions: z.array(versionRow), cursor: nextCursor })),
    },
    failures: {
      400: [sentences.badCursor, like('limit: expected at most 200')],
      404: noOwnSite,
    },
  }),
  changeVersion: defineRoute({
    ...ofVersion,
    method: 'PATCH',
    path: '/api/site/:rkey/versions/:id',
    limit: 'versionChange',
    summary: 'Changes what the owner says about a version',
    details: 'What is not sent stays as it is; null removes it.',
    body: {
      kind: 'json',
      schema: z.object({
        message: z
          .string()
          .nullable()
          .optional()
          .describe(`Up to ${messageGraphemesMax} characters`),
        pinned: z.boolean().optional().describe('Kept however many newer versions there are'),
        alias: z
          .string()
          .nullable()
          .optional()
          .describe(`Of a preview: 3 to ${aliasCharsMax} of \`a-z 0-9 -\``),
        expiresAt: z.iso
          .datetime({ offset: true })
          .nullable()
          .optional()
          .describe(`Of a preview: within ${previewDaysMax} days`),
      }),
    },
    answers: { 200: json('As it is now', versionRow) },
    failures: {
      ...accountServerFailures,
      400: [
        like(`alias: expected 3 to ${aliasCharsMax} of a-z, 0-9 and single hyphens inside`),
        like(`expiresAt: expected a time within ${previewDaysMax} days`),
        sentences.previewsOnly,
      ],
      404: notThere[404],
      409: [sentences.noVersionRecord, sentences.changedMeanwhile],
    },
  }),
  restoreVersion: defineRoute({
    ...ofVersion,
    method: 'POST',
    path: '/api/site/:rkey/versions/:id/restore',
    limit: 'versionChange',
    summary: 'Makes a version live again, or a preview for the first time',
    details:
      'A job writes one commit and uploads nothing; `/sitehost/upload-progress/:jobId` follows it to its end. What another program has published is published again, with the files that are stored here.',
    body: {
      kind: 'json',
      isOptional: true,
      schema: z.object({
        settings: z.boolean().optional().describe('Whether the settings of then go live, too'),
      }),
    },
    answers: {
      200: json('A job has begun', z.strictObject({ success: z.literal(true), jobId: z.string() })),
    },
    failures: {
      403: [sentences.siteLimit, like(overAccountSites(10)), takenDown],
      404: notThere[404],
      409: [sentences.publishedAlready, sentences.versionRefused],
      410: notThere[410],
      413: [like(overAccountBytes(5_000_000_000))],
      429: [sentences.uploadsWaiting, sentences.uploadsBusy, like(overUploadsPerDay(100))],
      503: [sentences.restarting],
      507: [sentences.noRoom],
    },
  }),
  ...versionFileRoutes,
  forgetVersion: defineRoute({
    ...ofVersion,
    confirmsGrant: true,
    method: 'DELETE',
    path: '/api/site/:rkey/versions/:id',
    limit: 'versionChange',
    summary: 'Forgets a version: its record, and every byte that only it named',
    details:
      'In the owner’s repository in one commit, and here before the answer. Its address is answered with 410 from then on.',
    answers: { 200: json('It is gone', removed) },
    failures: {
      ...accountServerFailures,
      404: notThere[404],
      409: [sentences.versionIsLive, sentences.beingPublished, sentences.changedMeanwhile],
      429: [sentences.forgetsRunning, ...accountServerFailures[429]],
    },
  }),
  forgetPreview: defineRoute({
    section: 'ours',
    access: 'deployer',
    confirmsGrant: true,
    method: 'DELETE',
    path: '/api/site/:rkey/previews/:alias',
    limit: 'previewForget',
    summary: 'Forgets the previews of a site that have this alias, as versions are forgotten',
    details:
      'For a job whose branch is gone. What was live since stays. None with this alias: 200.',
    params: { rkey: siteName, alias: z.string().meta({ examples: ['pr-12'] }) },
    answers: { 200: json('They are gone', removed) },
    failures: {
      ...accountServerFailures,
      404: notThere[404],
      409: [sentences.versionIsLive, sentences.beingPublished, sentences.changedMeanwhile],
      429: [sentences.forgetsRunning, ...accountServerFailures[429]],
    },
  }),
}
