import { z } from 'zod'
import { overAccountBytes, overAccountSites, overUploadsPerDay } from '#site/limits.ts'
import { json } from './answers.ts'
import { like, literals, sentences, takenDownSentence } from './messages.ts'
import { defineRoute } from './route.ts'
import { foreignSiteRow, siteName } from './rows.ts'

const takenDown = like(takenDownSentence({ site: 'blog', reason: 'phishing' }))

const ofSection = { section: 'ours', access: 'signed-in', failureShape: 'success' } as const

export const foreignSiteRoutes = {
  listForeignSites: defineRoute({
    ...ofSection,
    takesServiceAuth: true,
    method: 'GET',
    path: '/api/user/foreign-sites',
    limit: 'list',
    summary: 'The account’s sites of other networks that are served here (`ALSO_SERVE`)',
    details:
      'They can only be read here: what changes them is the tools of their network. Names and custom domains can lead to them (`name` is their `siteRkey`).',
    answers: { 200: json('All of them', z.strictObject({ sites: z.array(foreignSiteRow) })) },
    failures: { 429: [sentences.listsBusy] },
  }),
  bringOver: defineRoute({
    ...ofSection,
    method: 'POST',
    path: '/api/user/foreign-sites/bring-over',
    limit: 'bringOver',
    summary: 'Makes a site of one of another network: the same files and settings',
    details:
      'A job writes records that name the same blobs, and uploads nothing; `/sitehost/upload-progress/:jobId` follows it to its end. The foreign site stays as it is, and the new one does not follow it.',
    body: {
      kind: 'json',
      schema: z.object({
        name: z
          .string()
          .meta({ description: 'Of the foreign site', examples: ['place.wisp.fs/blog'] }),
        rkey: siteName.optional().describe('Of the new site; left out: the same record key'),
      }),
    },
    answers: {
      200: json(
        'A job has begun',
        z.strictObject({ success: z.literal(true), jobId: z.string(), rkey: siteName }),
      ),
    },
    failures: {
      400: [sentences.badSiteName],
      403: [sentences.siteLimit, like(overAccountSites(10)), takenDown],
      404: [literals.siteNotFound],
      409: [sentences.publishedAlready, sentences.siteNameTaken],
      413: [like(overAccountBytes(5_000_000_000))],
      429: [sentences.uploadsWaiting, like(overUploadsPerDay(100))],
      503: [sentences.restarting],
    },
  }),
}
