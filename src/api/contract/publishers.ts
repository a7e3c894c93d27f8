import { z } from 'zod'
import { json } from './answers.ts'
import { exchangedTokenMinutes, publishersMax } from './limits.ts'
import { like, noOwnSite, sentences } from './messages.ts'
import { defineRoute } from './route.ts'
import { did, done, instant, siteName } from './rows.ts'
import { tokenScope } from './tokens.ts'

const ofSection = {
  section: 'ours',
  access: 'signed-in',
  takesServiceAuth: true,
  limit: 'token',
  params: { rkey: siteName },
} as const

const name = z.string().min(1).max(300)

const issuer = name
  .regex(/^https?:\/\/[^\s?#@]+$/, 'expected the URL of a forge’s issuer, without a query')
  .refine((url) => URL.canParse(url) && !url.endsWith('/'), 'expected a URL without / at its end')
  .meta({ examples: ['https://token.actions.githubusercontent.com'] })
const repository = name
  .regex(/^[\w.-]+(\/[\w.-]+)+$/, 'expected the owner and the name of a repository')
  .meta({ examples: ['alice/site'] })
const ref = name
  .regex(/^refs\/(heads|tags|pull|merge-requests)\/[^\s]+$/, 'expected one such as refs/heads/main')
  .meta({ examples: ['refs/heads/main'] })

const publisherRow = z.strictObject({
  id: z.string(),
  issuer,
  repository,
  ref: ref.nullable().describe('Null: any'),
  environment: name.nullable().describe('Null: any'),
  scope: tokenScope,
  createdAt: instant,
  lastUsedAt: instant.nullable(),
})

export type PublisherRow = z.output<typeof publisherRow>

/** Deploys from CI without a stored secret: a job exchanges the OpenID Connect token of its forge. */
export const publisherRoutes = {
  listPublishers: defineRoute({
    ...ofSection,
    method: 'GET',
    path: '/api/site/:rkey/publishers',
    summary: 'The CI jobs that may deploy a site, newest first',
    answers: { 200: json('Them', z.strictObject({ publishers: z.array(publisherRow) })) },
    failures: { 404: noOwnSite },
  }),
  addPublisher: defineRoute({
    ...ofSection,
    confirmsGrant: true,
    method: 'POST',
    path: '/api/site/:rkey/publishers',
    summary: 'Lets CI jobs of a repository deploy a site',
    details: `With \`deploy\` a ref or an environment is needed. At most ${publishersMax} a site. It ends when the account signs out everywhere.`,
    body: {
      kind: 'json',
      schema: z.object({
        issuer,
        repository,
        ref: ref.optional(),
        environment: name.optional(),
        scope: tokenScope,
      }),
    },
    answers: { 200: json('The publisher', publisherRow) },
    failures: {
      400: [sentences.publisherTooWide, sentences.issuerInsecure],
      404: noOwnSite,
      409: [sentences.publishersMax],
    },
  }),
  removePublisher: defineRoute({
    ...ofSection,
    method: 'DELETE',
    path: '/api/site/:rkey/publishers/:id',
    summary: 'Removes a publisher, and revokes the tokens of its jobs',
    params: { rkey: siteName, id: z.string() },
    answers: { 200: done },
    failures: { 404: [...noOwnSite, sentences.publisherNotFound] },
  }),
  exchangeToken: defineRoute({
    section: 'ours',
    access: 'public',
    limit: 'exchange',
    method: 'POST',
    path: '/api/tokens/exchange',
    summary: 'Exchanges the OpenID Connect token of a CI job for a deploy token',
    details: `The job’s token must be for the origin of this service (\`aud\`), signed with RS256 or ES256, and works once. The deploy token works for ${exchangedTokenMinutes} minutes.`,
    body: {
      kind: 'json',
      schema: z.object({
        account: z
          .string()
          .max(2048)
          .describe('The owner of the site: a DID or a handle')
          .meta({ examples: ['alice.example.com'] }),
        site: siteName,
        token: z.string().max(16_384).describe('Of the forge'),
      }),
    },
    answers: {
      200: json(
        'The deploy token',
        z.strictObject({
          secret: z.string().meta({ examples: ['shd_…'] }),
          did,
          site: siteName,
          scope: tokenScope,
          expiresAt: instant,
        }),
      ),
    },
    failures: {
      400: [sentences.notIdToken],
      403: [
        like(sentences.noPublisherOf('iss', 'https://forge.example')),
        sentences.idTokenNotSigned,
        like(sentences.idTokenForOthers('https://sitehost.example')),
        sentences.idTokenExpired,
        sentences.idTokenTooEarly,
        sentences.idTokenTooLong,
        sentences.idTokenUsed,
      ],
      429: [sentences.exchangedMax, sentences.exchangesBusy],
      502: [sentences.issuerUnanswered],
    },
  }),
}
