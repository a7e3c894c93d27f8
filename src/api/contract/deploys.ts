import { z } from 'zod'
import { noPreviewScopeSentence, overPreviewQuotaSentence } from '#publish/new-version.ts'
import {
  aliasCharsMax,
  deployOpenMs,
  messageGraphemesMax,
  overAccountBytes,
  overAccountSites,
  overUploadsPerDay,
  previewDaysMax,
  versionRecordsMax,
} from '#site/limits.ts'
import { empty, json } from './answers.ts'
import { deployBody, onlyDeployFields, sha256 } from './deploy-body.ts'
import { deployFilesAtOnce, deployJsonBytesMax, hourMs } from './limits.ts'
import { bodyTooLarge, like, literals, sentences, takenDownSentence } from './messages.ts'
import { accountServerFailures, defineRoute } from './route.ts'
import { done, instant, siteName } from './rows.ts'
import { jobResult } from './uploads.ts'

const ofSection = { section: 'deploys §4', access: 'deployer' } as const
const id = z.string().meta({ examples: ['0b5a2c1e-6a4f-4c7e-9d0b-2f3e4a5b6c7d'] })
const params = { id }

const missing = z.array(sha256).describe('What to send')

const notFound = { 404: [literals.deployNotFound] }

/** Deploys: uploads that send only what the account does not have yet. */
export const deployRoutes = {
  beginDeploy: defineRoute({
    ...ofSection,
    method: 'POST',
    path: '/api/site/:rkey/deploys',
    limit: 'deploy',
    summary: 'Begins a deploy: says which files of it the service does not have',
    details:
      `\`missing\` leaves out what the account’s own records hold, and what its earlier uploads have sent. Up to ${deployJsonBytesMax / 1024} KiB. ` +
      `A deploy is dropped when it is not committed within ${deployOpenMs / hourMs} hours.`,
    params: { rkey: siteName },
    body: { kind: 'unread-json', schema: deployBody },
    answers: {
      200: json(
        'Send what is missing, then commit',
        z.strictObject({ deployId: id, missing, expiresAt: instant }),
      ),
    },
    failures: {
      400: [
        'body: expected JSON',
        `body: ${onlyDeployFields}`,
        sentences.badSiteName,
        sentences.baseMissing,
        like(`preview.alias: expected 3 to ${aliasCharsMax} of a-z, 0-9 and single hyphens inside`),
        like(`preview.expiresAt: expected a time within ${previewDaysMax} days`),
        like('files.0.sha256: expected SHA-256 in lower-case hex'),
        like('Bad file path "../x": dot segment.'),
        like('remove: there is no "blog/old.html".'),
        like(`message: expected at most ${messageGraphemesMax} characters, none of them NUL`),
        like('settings.indexFiles.0: expected the name of a file, without a folder'),
      ],
      404: [sentences.versionNotFound],
      409: [like(overPreviewQuotaSentence(versionRecordsMax))],
      403: [
        noPreviewScopeSentence,
        sentences.siteLimit,
        like(overAccountSites(10)),
        like(takenDownSentence({ site: 'blog', reason: 'phishing' })),
      ],
      413: [
        bodyTooLarge(deployJsonBytesMax),
        like('"film.mp4" is larger than 100 MiB.'),
        like(overAccountBytes(5_000_000_000)),
      ],
      429: [
        sentences.deploysOpen,
        sentences.deploysBusy,
        like(overUploadsPerDay(100)),
        ...accountServerFailures[429],
      ],
      502: accountServerFailures[502],
      503: [sentences.restarting],
    },
  }),
  sendDeployFile: defineRoute({
    ...ofSection,
    method: 'PUT',
    path: '/api/deploys/:id/files/:sha256',
    isOfSpool: true,
    limit: 'deployFile',
    summary: 'Sends a file of a deploy',
    details: `The bytes as they are, or compressed with \`Content-Encoding: gzip\`. ${deployFilesAtOnce} of a deploy at a time. Sending a file again changes nothing.`,
    params: { id, sha256 },
    body: { kind: 'unread-bytes', schema: z.file() },
    answers: { 204: empty('It has arrived') },
    failures: {
      ...notFound,
      400: [
        sentences.senderGone,
        like('What arrived is not the file that the deploy says: its SHA-256 or size differs.'),
      ],
      404: [literals.deployNotFound, sentences.notOfDeploy],
      408: [sentences.uploadTooSlow, sentences.uploadTooLong],
      409: [sentences.deployCommitted],
      415: [sentences.unknownCoding],
      429: [sentences.deployFilesArriving, sentences.uploadsBusy, sentences.uploadGaveWay],
      503: [sentences.restarting],
      507: [sentences.noRoom],
    },
  }),
  readDeploy: defineRoute({
    ...ofSection,
    method: 'GET',
    path: '/api/deploys/:id',
    summary: 'What a deploy still needs',
    params,
    answers: {
      200: json(
        'Its state now',
        z.strictObject({
          deployId: id,
          rkey: siteName,
          state: z
            .enum(['open', 'publishing', 'published', 'failed'])
            .describe('`open`: it waits for files, or for its commit'),
          missing,
          expiresAt: instant,
          jobId: id.nullable().describe('Of its job, once it is committed'),
          result: jobResult.nullable().describe('Of its job, once it is published'),
          error: z.string().nullable().describe('Why its job failed'),
        }),
      ),
    },
    failures: notFound,
  }),
  commitDeploy: defineRoute({
    ...ofSection,
    method: 'POST',
    path: '/api/deploys/:id/commit',
    isOfSpool: true,
    limit: 'deploy',
    summary: 'Publishes a deploy; a job does it',
    details: 'Again, for one that is committed: the same answer.',
    params,
    answers: {
      200: json('Follow the job', z.strictObject({ success: z.literal(true), jobId: id })),
      409: json(
        'Files are missing, or it conflicts with the current state',
        z.strictObject({
          error: z.string().meta({
            examples: [
              sentences.filesMissing,
              sentences.publishedAlready,
              sentences.baseChanged,
              sentences.deployChanged,
            ],
          }),
          missing: missing.optional(),
        }),
      ),
    },
    failures: {
      403: [
        sentences.siteLimit,
        like(overAccountSites(10)),
        like(takenDownSentence({ site: 'blog', reason: 'phishing' })),
      ],
      400: [
        like('sitehost.json, line 3, column 5: site: expected the name of a site.'),
        like(`preview.expiresAt: expected a time within ${previewDaysMax} days`),
      ],
      404: [literals.deployNotFound],
      413: [like(overAccountBytes(5_000_000_000))],
      429: [sentences.uploadsWaiting, sentences.uploadsBusy, like(overUploadsPerDay(100))],
      503: [sentences.restarting],
      507: [sentences.noRoom],
    },
  }),
  deleteDeploy: defineRoute({
    ...ofSection,
    method: 'DELETE',
    path: '/api/deploys/:id',
    isOfSpool: true,
    summary: 'Drops a deploy that is not committed',
    params,
    answers: { 200: done },
    failures: { ...notFound, 409: [sentences.deployCommitted], 503: [sentences.restarting] },
  }),
}
