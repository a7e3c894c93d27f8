import { z } from 'zod'
import { download, json } from './answers.ts'
import { like, noOwnSite, sentences } from './messages.ts'
import { defineRoute } from './route.ts'
import { count, siteName } from './rows.ts'

export const versionId = z.string().meta({
  description: 'Of one of the site’s versions; `live` is the one that visitors get',
  examples: ['3mkq2vtpdbk2c', 'live'],
})

export const ofVersion = {
  section: 'ours',
  access: 'signed-in',
  failureShape: 'success',
  params: { rkey: siteName, id: versionId },
} as const

export const notThere = {
  404: [...noOwnSite, sentences.versionNotFound],
  410: [sentences.filesNotKept],
} as const

const changedFiles = z.array(z.strictObject({ path: z.string(), bytes: count }))

/** What versions consist of, and in what they differ. */
export const versionFileRoutes = {
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
  readVersionFile: defineRoute({
    ...ofVersion,
    method: 'GET',
    path: '/api/site/:rkey/versions/:id/content',
    limit: 'versionFile',
    summary: 'One file of a version, as it was before it was stored',
    details:
      'Also files that visitors never get, such as `_redirects`. Sent as a download of no type, so that no browser runs it at this origin.',
    query: { path: z.string().describe('Of the file, as in the list of files') },
    answers: { 200: download('Its bytes', 'application/octet-stream') },
    failures: {
      400: [like('path: ')],
      404: [...notThere[404], sentences.fileNotFound],
      410: notThere[410],
      429: [sentences.filesBusy],
    },
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
}
