import { z } from 'zod'
import { settingsFields } from '#site/record/settings.ts'
import { json } from './answers.ts'
import { settingsJsonBytesMax, visitDaysMax, visitRowsMax } from './limits.ts'
import { bodyTooLarge, like, literals, noOwnSite, sentences } from './messages.ts'
import { accountServerFailures, defineRoute } from './route.ts'
import { count, done, siteName } from './rows.ts'

const ofSection = {
  section: '4.4',
  access: 'signed-in',
  failureShape: 'success',
  params: { rkey: siteName },
} as const

const ruleLine = z
  .strictObject({ line: z.number().int().describe('From 1'), text: z.string() })
  .nullable()

const date = z.string().meta({ format: 'date', examples: ['2026-11-27'] })

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
      404: noOwnSite,
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
  readVisits: defineRoute({
    ...ofSection,
    section: 'ours',
    takesServiceAuth: true,
    method: 'GET',
    path: '/api/site/:rkey/visits',
    limit: 'visits',
    summary: 'Visits of a site, by day, page, referrer, country and status',
    details:
      'Counted without cookies and scripts; no address is stored. Days are those of UTC, and up to five seconds behind.',
    query: {
      days: z.coerce.number().int().min(1).max(visitDaysMax).default(30).describe('Today included'),
    },
    answers: {
      200: json(
        'The counts',
        z.strictObject({
          since: date.describe('The first of the days'),
          days: z
            .array(
              z.strictObject({
                day: date,
                requests: count.describe('Those that were answered'),
                refused: count.describe('Those that were answered with 429'),
                bytes: count.describe('Of bodies'),
                pageViews: count,
                visitors: count.describe('About how many; 0 also where they were not counted'),
              }),
            )
            .describe('Oldest first, without days on which nobody came'),
          pages: z
            .array(z.strictObject({ path: z.string().nullable(), views: count }))
            .describe(`The ${visitRowsMax} most viewed; null: all others`),
          referrers: z
            .array(z.strictObject({ host: z.string().nullable(), views: count }))
            .describe(
              `The ${visitRowsMax} hosts whose links were followed most often; null: all others`,
            ),
          countries: z
            .array(
              z.strictObject({
                country: z
                  .string()
                  .nullable()
                  .describe('ISO 3166-1 alpha-2')
                  .meta({ examples: ['DE'] }),
                views: count,
              }),
            )
            .describe(
              'Of views of pages, where a front of the service says the country; null: all others',
            ),
          statuses: z
            .array(z.strictObject({ status: z.string().meta({ examples: ['2xx'] }), count }))
            .describe('All answered requests, by the class of their status'),
        }),
      ),
    },
    failures: {
      400: [like(`days: expected at most ${visitDaysMax}`)],
      404: noOwnSite,
      429: [sentences.listsBusy],
    },
  }),
  explainAddress: defineRoute({
    ...ofSection,
    section: 'ours',
    method: 'GET',
    path: '/api/site/:rkey/explain',
    limit: 'explain',
    summary: 'Why visitors of an address get what they get',
    details:
      'Of the live version, for a browser that opens the address, without cookies and with no known language and country. Files of earlier versions, which open pages still get for a while, are left out.',
    query: {
      address: z
        .string()
        .describe('A path, such as `/about?from=feed`, or an address of the site')
        .meta({ examples: ['/'] }),
    },
    answers: {
      200: json(
        'What is sent, and what decided it',
        z.strictObject({
          address: z.string().describe('The whole address'),
          status: z.number().int(),
          by: z
            .enum([
              ...(['forced-rule', 'file', 'rule', 'listing', 'application'] as const),
              ...(['nothing', 'reserved', 'request', 'primary', 'takedown'] as const),
            ])
            .describe(
              '`forced-rule`: a rule with `!`; `application`: the page of `spaMode`; `nothing`: there is no such page; `reserved`: a file that configures the site, or an address for proofs of control over a host below the base domain; `request`: the address is not valid; `primary`: the site has another primary address; `takedown`: an administrator took the site offline',
            ),
          file: z.string().nullable().describe('The file that is shown'),
          location: z.string().nullable().describe('Where visitors are redirected'),
          rule: ruleLine.describe('The line of `_redirects` that decided'),
          overruled: ruleLine.describe('The line that would decide if there were no such file'),
          headers: z.array(
            z.strictObject({
              name: z.string(),
              value: z.string().nullable().describe('Null: the owner removed it'),
              from: z
                .array(
                  z.discriminatedUnion('kind', [
                    z.strictObject({ kind: z.literal('file'), line: z.number().int() }),
                    z.strictObject({ kind: z.literal('settings'), index: z.number().int() }),
                  ]),
                )
                .describe(
                  'Lines of `_headers` and headers of the settings that say something about it, in the order in which they apply; empty: the service sets it',
                ),
            }),
          ),
        }),
      ),
    },
    failures: {
      400: [sentences.notAddressOfSite],
      404: [literals.siteNotFound, sentences.versionNotFound],
      410: [sentences.filesNotKept],
      429: [sentences.listsBusy],
    },
  }),
  readSettings: defineRoute({
    ...ofSection,
    method: 'GET',
    path: '/api/site/:rkey/settings',
    limit: 'settings',
    summary: 'How a site is served',
    details: '`ETag` says which record it is, for `If-Match` when it is written.',
    answers: {
      200: json(
        'The record in the repository, whichever program wrote it; the defaults without one',
        z.looseObject({}).meta({
          examples: [{ indexFiles: ['index.html'], cleanUrls: false, directoryListing: false }],
        }),
      ),
    },
    failures: { ...accountServerFailures, 404: noOwnSite },
  }),
  writeSettings: defineRoute({
    ...ofSection,
    method: 'POST',
    path: '/api/site/:rkey/settings',
    limit: 'settings',
    summary: 'Replaces a site’s settings',
    details: `The whole record: what is not sent is not set. Up to ${settingsJsonBytesMax / 1024} KiB. With \`If-Match\`, the \`ETag\` of what was read: 409 when another program has written since.`,
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
      404: noOwnSite,
      409: [sentences.changedMeanwhile],
      413: [bodyTooLarge(settingsJsonBytesMax)],
    },
  }),
}
