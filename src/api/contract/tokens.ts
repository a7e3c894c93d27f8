import { z } from 'zod'
import { deployTokenDaysDefault, deployTokenDaysMax } from '#site/limits.ts'
import { json } from './answers.ts'
import { deployTokenNameCharsMax, deployTokensMax } from './limits.ts'
import { noOwnSite, sentences } from './messages.ts'
import { defineRoute } from './route.ts'
import { done, instant, siteName } from './rows.ts'

const ofSection = {
  section: 'ours',
  access: 'signed-in',
  takesServiceAuth: true,
  limit: 'token',
  params: { rkey: siteName },
} as const

export const tokenScope = z
  .enum(['deploy', 'preview'])
  .describe('`preview`: previews alone; nothing that goes live')

const tokenRow = z.strictObject({
  id: z.string(),
  name: z.string(),
  scope: tokenScope,
  createdAt: instant,
  expiresAt: instant,
  lastUsedAt: instant.nullable(),
})

export type TokenRow = z.output<typeof tokenRow>

const name = z
  .string()
  .trim()
  .min(1)
  .max(deployTokenNameCharsMax)
  .regex(/^\P{Cc}+$/u, 'expected no control characters')
  .describe('For its owner: where the token is used')
  .meta({ examples: ['forge.example/alice/site'] })

/** Deploy tokens: programs deploy one site with them, without a session. */
export const tokenRoutes = {
  listTokens: defineRoute({
    ...ofSection,
    method: 'GET',
    path: '/api/site/:rkey/tokens',
    summary: 'The deploy tokens of a site, newest first',
    details: 'Without the secrets. One that has expired is listed for 30 days.',
    answers: { 200: json('Them', z.strictObject({ tokens: z.array(tokenRow) })) },
    failures: { 404: noOwnSite },
  }),
  createToken: defineRoute({
    ...ofSection,
    confirmsGrant: true,
    method: 'POST',
    path: '/api/site/:rkey/tokens',
    summary: 'Creates a deploy token of a site',
    details: `Its secret is sent once, and is not stored. At most ${deployTokensMax} a site. It ends when the account signs out everywhere.`,
    body: {
      kind: 'json',
      schema: z.object({
        name,
        scope: tokenScope,
        expiresInDays: z
          .int()
          .min(1)
          .max(deployTokenDaysMax)
          .default(deployTokenDaysDefault)
          .describe('How long it works'),
      }),
    },
    answers: {
      200: json(
        'The token',
        z.strictObject({
          secret: z
            .string()
            .describe('For `Authorization: Bearer`')
            .meta({ examples: ['shd_…'] }),
          token: tokenRow,
        }),
      ),
    },
    failures: { 404: noOwnSite, 409: [sentences.tokensMax] },
  }),
  revokeToken: defineRoute({
    ...ofSection,
    method: 'DELETE',
    path: '/api/site/:rkey/tokens/:id',
    summary: 'Revokes a deploy token',
    details: 'At once, also for files that are arriving. What it has committed is published.',
    params: { rkey: siteName, id: z.string() },
    answers: { 200: done },
    failures: { 404: [...noOwnSite, sentences.tokenNotFound] },
  }),
}
