import { z } from 'zod'
import {
  overAccountBytes,
  overAccountSites,
  overUploadsPerDay,
  siteFilesMax,
} from '#site/limits.ts'
import { events, json } from './answers.ts'
import { like, literals, sentences, takenDownSentence } from './messages.ts'
import { accountServerFailures, defineRoute } from './route.ts'
import { count, done, siteName } from './rows.ts'

const ofSection = { section: '4.5', access: 'signed-in' } as const
const jobId = z.string().meta({ examples: ['0b5a2c1e-6a4f-4c7e-9d0b-2f3e4a5b6c7d'] })

const jobStatus = z.enum(['pending', 'processing', 'uploading', 'completed', 'failed'])

const jobProgress = z.strictObject({
  phase: z.enum([
    'validating',
    'compressing',
    'uploading',
    'creating_manifest',
    'finalizing',
    'done',
  ]),
  totalFiles: count,
  filesProcessed: count,
  filesUploaded: count,
  filesReused: count,
  bytesTotal: count,
  bytesUploaded: count,
  currentFile: z.string().nullable(),
})

export const jobResult = z.strictObject({
  success: z.literal(true),
  uri: z.string(),
  cid: z.string(),
  fileCount: count,
  siteName: z.string(),
  url: z.string(),
  live: z
    .boolean()
    .describe(
      'Whether visitors see it already, of a preview at its own address; if not, they will in a moment',
    ),
  uploadedCount: count,
  reusedCount: count,
  skippedFiles: z
    .array(z.strictObject({ name: z.string(), reason: z.string() }))
    .describe('Files that were left out, each with the rule'),
  versionId: z
    .string()
    .nullable()
    .describe('Of the version in the site’s history; null: not there'),
  versionUrl: z
    .string()
    .nullable()
    .describe('Its address, which never changes; null while visitors do not get it there'),
  previewUrl: z
    .string()
    .nullable()
    .describe('The address of a preview’s alias; null while visitors do not get it there'),
  versionProblem: z
    .string()
    .nullable()
    .describe('Why it is not in the history, or has no address; null also if the settings say so'),
  sizeNotice: z.string().nullable().describe('A sentence, if other hosts may refuse the site'),
})

/** `/sitehost/*`: uploads and their progress. */
export const uploadRoutes = {
  uploadFiles: defineRoute({
    ...ofSection,
    method: 'POST',
    path: '/sitehost/upload-files',
    limit: 'upload',
    summary: 'Uploads a whole site; a job publishes it',
    details:
      'The name comes first, then the files or one archive. The body is read as it arrives, and rejected as early as possible.',
    body: {
      kind: 'unread-form',
      schema: z.object({
        siteName,
        retain: z
          .enum(['true', 'false'])
          .optional()
          .describe('`false`: the assets of earlier versions are not served any more'),
        files: z
          .array(z.file())
          .optional()
          .describe('A part for each file, whose file name is its path in the site'),
        archive: z.file().optional().describe('Instead of `files`: a .zip, .tar, .tar.gz or .tgz'),
      }),
    },
    answers: {
      200: json(
        'A job has begun; or, without `files` and `archive`, an empty site is published',
        z.union([
          z.strictObject({
            success: z.literal(true),
            jobId,
            message: z.templateLiteral([
              'Upload started. Connect to /sitehost/upload-progress/',
              z.string(),
              ' to follow it.',
            ]),
          }),
          z.strictObject({
            success: z.literal(true),
            uri: z.string(),
            cid: z.string(),
            fileCount: z.literal(0),
            siteName,
          }),
        ]),
      ),
    },
    failures: {
      400: [
        sentences.noForm,
        sentences.senderGone,
        like('siteName must come before the files.'),
        like('Send either files or one archive.'),
        like('The file "index.html" is there twice.'),
        like('Every file of this upload is one that is left out. Nothing was published.'),
      ],
      403: [
        sentences.siteLimit,
        like(overAccountSites(10)),
        like(takenDownSentence({ site: 'blog', reason: 'phishing' })),
      ],
      408: [sentences.uploadTooSlow, sentences.uploadTooLong],
      409: [sentences.publishedAlready, sentences.changedMeanwhile],
      413: [
        like(`A site can have at most ${siteFilesMax} files; this upload has more.`),
        like(overAccountBytes(5_000_000_000)),
      ],
      429: [
        sentences.uploadsWaiting,
        sentences.uploadsArriving,
        sentences.archivesBusy,
        sentences.uploadsBusy,
        sentences.uploadGaveWay,
        like(overUploadsPerDay(100)),
        ...accountServerFailures[429],
      ],
      502: accountServerFailures[502],
      503: [sentences.restarting],
      507: [sentences.noRoom],
    },
  }),
  followUpload: defineRoute({
    ...ofSection,
    method: 'GET',
    path: '/sitehost/upload-progress/:jobId',
    summary: 'Follows a job to its end',
    details:
      'The state at once, then changes, at most five a second, and a comment every 15 s. After `done` or `error` the stream ends, and when the session ends.',
    params: { jobId },
    answers: {
      200: events('The progress of the job', {
        progress: z.strictObject({
          status: jobStatus,
          progress: jobProgress,
          result: jobResult.nullable(),
          error: z.string().nullable(),
        }),
        done: jobResult,
        error: z.strictObject({ error: z.string().describe('A sentence that says what to do') }),
      }),
    },
    failures: {
      403: [literals.unauthorized],
      404: [literals.jobNotFound],
      429: [sentences.streamsOpen],
    },
  }),
  cancelUpload: defineRoute({
    ...ofSection,
    section: 'decisions §7',
    method: 'DELETE',
    path: '/sitehost/upload-progress/:jobId',
    summary: 'Cancels a job that has not begun to write: nothing is published',
    params: { jobId },
    answers: { 200: done },
    failures: {
      403: [literals.unauthorized],
      404: [literals.jobNotFound],
      409: [sentences.tooLateToCancel, sentences.uploadEnded],
    },
  }),
}
