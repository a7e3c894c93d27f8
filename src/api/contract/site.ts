import { z } from 'zod'
import { settingsFields } from '#site/record/settings.ts'
import { json } from './answers.ts'
import { settingsJsonBytesMax } from './limits.ts'
import { bodyTooLarge, like, literals, sentences } from './messages.ts'
import { accountServerFailures, defineRoute } from './route.ts'
import { done, siteName } from './rows.ts'

const ofSection = {
  section: '4.4',
  access: 'signed-in',
  failureShape: 'success',
  params: { rkey: siteName },
} as const

/** `/api/site/*`: deleting the account's own sites, and their settings. */
export const siteRoutes = {
  deleteSite: defineRoute({
    ...ofSection,
    confirmsGrant: true,
    method: 'DELETE',
    path: '/api/site/:rkey',
    summary: 'Deletes a site: its record, the parts of it and its settings, in one commit',
    answers: {
      200: json(
        'Visitors get 404 within a second',
        z.strictObject({ success: z.literal(true), message: z.literal(literals.siteDeleted) }),
      ),
    },
    failures: {
      ...accountServerFailures,
      404: [literals.siteNotFound],
      409: [sentences.beingPublished, sentences.changedMeanwhile],
    },
  }),
  choosePrimary: defineRoute({
    ...ofSection,
    method: 'POST',
    path: '/api/site/:rkey/primary',
    summary: 'Chooses the name that the site’s other names answer 308 to',
    body: {
      kind: 'json',
      schema: z.object({
        domain: z
          .string()
          .nullable()
          .meta({ description: 'Null: all of them serve the site', examples: ['www.example.com'] }),
      }),
    },
    answers: { 200: done },
    failures: {
      400: [sentences.primaryUnverified, sentences.primaryElsewhere],
      404: [literals.siteNotFound, literals.domainNotFound],
    },
  }),
  readSettings: defineRoute({
    ...ofSection,
    method: 'GET',
    path: '/api/site/:rkey/settings',
    limit: 'settings',
    summary: 'How a site is served',
    answers: {
      200: json(
        'The record in the repository, whichever program wrote it; the defaults without one',
        z.looseObject({}).meta({
          examples: [{ indexFiles: ['index.html'], cleanUrls: false, directoryListing: false }],
        }),
      ),
    },
    failures: { ...accountServerFailures, 404: [literals.siteNotFound] },
  }),
  writeSettings: defineRoute({
    ...ofSection,
    method: 'POST',
    path: '/api/site/:rkey/settings',
    limit: 'settings',
    summary: 'Replaces a site’s settings',
    details: `The whole record: what is not sent is not set. Up to ${settingsJsonBytesMax / 1024} KiB.`,
    body: { kind: 'unread-json', schema: settingsFields },
    answers: {
      200: json(
        'Sites are served by it within a second',
        z.strictObject({ success: z.literal(true), uri: z.string(), cid: z.string() }),
      ),
    },
    failures: {
      ...accountServerFailures,
      400: [
        literals.oneMode,
        'body: expected JSON',
        like('indexFiles.0: expected the name of a file, without a folder'),
      ],
      404: [literals.siteNotFound],
      409: [sentences.changedMeanwhile],
      413: [bodyTooLarge(settingsJsonBytesMax)],
    },
  }),
}
