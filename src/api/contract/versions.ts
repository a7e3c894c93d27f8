import { z } from 'zod'
import { download, json } from './answers.ts'
import { literals, sentences } from './messages.ts'
import { accountServerFailures, defineRoute } from './route.ts'
import { count, siteName } from './rows.ts'

const versionId = z.string().meta({
  description: 'Of one of the site’s versions; `live` is the one that visitors get',
  examples: ['3mkq2vtpdbk2c', 'live'],
})

const ofVersion = {
  section: 'ours',
  access: 'signed-in',
  failureShape: 'success',
  params: { rkey: siteName, id: versionId },
} as const

const notThere = {
  404: [literals.siteNotFound, sentences.versionNotFound],
  410: [sentences.filesNotKept],
} as const

const changedFiles = z.array(z.strictObject({ path: z.string(), bytes: count }))

/** `/api/site/:rkey/versions`: what a site has been. */
export const versionRoutes = {
  compareVersions: defineRoute({
    ...ofVersion,
    method: 'GET',
    path: '/api/site/:rkey/versions/:id/changes',
    limit: 'versionList',
    summary: 'In what a version differs from another one',
    query: {
      against: z.string().default('live').describe('Id of the other version'),
    },
    answers: {
      200: json(
        'What leads from the other version to this one',
        z.strictObject({
          added: changedFiles,
          changed: changedFiles,
          removed: changedFiles,
          settings: z.array(
            z.strictObject({ field: z.string(), from: z.unknown(), to: z.unknown() }),
          ),
        }),
      ),
    },
    failures: { ...notThere, 429: [sentences.listsBusy] },
  }),
  listVersionFiles: defineRoute({
    ...ofVersion,
    method: 'GET',
    path: '/api/site/:rkey/versions/:id/files',
    limit: 'versionList',
    summary: 'The files of a version',
    answers: {
      200: json(
        'In the order of their paths',
        z.strictObject({
          files: z.array(
            z.strictObject({
              path: z.string(),
              bytes: count,
              mediaType: z.string(),
              url: z.string().nullable().describe('Null: the version has no address of its own'),
            }),
          ),
        }),
      ),
    },
    failures: { ...notThere, 429: [sentences.listsBusy] },
  }),
  downloadVersion: defineRoute({
    ...ofVersion,
    method: 'GET',
    path: '/api/site/:rkey/versions/:id/archive',
    limit: 'archive',
    summary: 'The files of a version as a zip',
    details:
      'The same version is the same archive. Sent while it is made: one without its directory has broken off.',
    answers: { 200: download('The archive', 'application/zip') },
    failures: {
      ...notThere,
      413: [sentences.archiveTooLarge],
      429: [sentences.archiveRunning],
    },
  }),
  forgetVersion: defineRoute({
    ...ofVersion,
    confirmsGrant: true,
    method: 'DELETE',
    path: '/api/site/:rkey/versions/:id',
    limit: 'versionChange',
    summary: 'Forgets a version: its record, and every byte that only it named',
    details:
      'In the owner’s repository in one commit, and here before the answer. Its address is answered with 410 from then on.',
    answers: {
      200: json(
        'It is gone',
        z.strictObject({
          success: z.literal(true),
          removed: z.strictObject({
            records: z.array(z.string()).describe('The `at://` addresses of deleted records'),
            blobs: count.describe('Files that were stored here, and that nothing else names'),
            bytes: count.describe('Of these files, as they were stored'),
          }),
        }),
      ),
    },
    failures: {
      ...accountServerFailures,
      404: notThere[404],
      409: [sentences.versionIsLive, sentences.beingPublished, sentences.changedMeanwhile],
      429: [sentences.forgetsRunning, ...accountServerFailures[429]],
    },
  }),
}
