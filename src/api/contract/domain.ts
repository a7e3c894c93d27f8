import { z } from 'zod'
import { json } from './answers.ts'
import { keptDays, like, literals, sentences } from './messages.ts'
import { defineRoute } from './route.ts'
import { did, done, label, siteRkey } from './rows.ts'

const ofAnyone = { section: '4.3', access: 'public' } as const
const ofAccount = { section: '4.3', access: 'signed-in', takesServiceAuth: true } as const

const claimed = json('Claimed', z.strictObject({ success: z.literal(true), domain: z.string() }))
const registered = z.strictObject({ registered: z.literal(true), domain: z.string(), did })
const subdomain = z.string().meta({ examples: ['alice.sites.example.net'] })

/** `/api/domain/*`: what anyone may ask about a name, and the account's names below the base domain. */
export const domainRoutes = {
  checkSubdomain: defineRoute({
    ...ofAnyone,
    method: 'GET',
    path: '/api/domain/check',
    summary: 'Whether a name below the base domain can be claimed',
    query: { handle: label.optional() },
    answers: {
      200: json(
        'Available, taken or invalid',
        z.union([
          z.strictObject({ available: z.literal(true), domain: z.string() }),
          z.strictObject({
            available: z.literal(false),
            reason: z.literal('taken'),
            domain: z.string(),
          }),
          z.strictObject({ available: z.literal(false), reason: z.literal('invalid') }),
        ]),
      ),
    },
    failures: { 503: [sentences.storageAway] },
  }),
  findRegistration: defineRoute({
    ...ofAnyone,
    method: 'GET',
    path: '/api/domain/registered',
    summary: 'The owner of a name, and the site that it leads to',
    query: {
      domain: z
        .string()
        .optional()
        .meta({ examples: ['www.example.com'] }),
    },
    answers: {
      200: json(
        'Registered',
        z.union([
          registered.extend({
            type: z.literal('sitehost'),
            rkey: z.string().describe('Empty while it is unmapped'),
          }),
          registered.extend({
            type: z.literal('custom'),
            rkey: z.string().nullable().describe('Null while it is unmapped'),
            verified: z.boolean(),
          }),
        ]),
      ),
      400: json('Without `domain`', z.strictObject({ error: z.literal(literals.domainParameter) })),
      404: json('Not registered', z.strictObject({ registered: z.literal(false) })),
    },
    failures: { 503: [sentences.storageAway] },
  }),
  claimSubdomain: defineRoute({
    ...ofAccount,
    method: 'POST',
    path: '/api/domain/claim',
    limit: 'claim',
    summary: 'Claims a name below the base domain',
    body: { kind: 'json', schema: z.object({ handle: label }) },
    answers: { 200: claimed },
    failures: {
      400: [sentences.notClaimable],
      403: [like('An account can have 3 of these names. Release one first.'), sentences.namesKept],
      409: [sentences.nameTaken],
    },
  }),
  renameSubdomain: defineRoute({
    ...ofAccount,
    confirmsGrant: true,
    method: 'POST',
    path: '/api/domain/update',
    limit: 'claim',
    summary: 'Renames a claimed name; it still leads to the same site',
    details: 'The name that it had is kept for the account, as a released one.',
    body: {
      kind: 'json',
      schema: z.object({
        handle: label,
        domain: subdomain.optional().describe('Optional for accounts with only one name'),
      }),
    },
    answers: { 200: claimed },
    failures: {
      400: [sentences.notClaimable, sentences.severalNames],
      403: [sentences.namesKept],
      404: [literals.domainNotFound],
      409: [sentences.nameTaken],
    },
  }),
  mapSubdomain: defineRoute({
    ...ofAccount,
    method: 'POST',
    path: '/api/domain/sitehost/map-site',
    summary: 'Maps a claimed name to a site, or to none',
    body: { kind: 'json', schema: z.object({ domain: subdomain, siteRkey }) },
    answers: { 200: done },
    failures: { 404: [literals.siteNotFound, literals.domainNotFound] },
  }),
  releaseSubdomain: defineRoute({
    ...ofAccount,
    confirmsGrant: true,
    method: 'DELETE',
    path: '/api/domain/sitehost/:domain',
    summary: `Releases a claimed name: its owner may claim it again at once, others after ${keptDays} days`,
    params: { domain: subdomain },
    answers: { 200: done },
    failures: { 404: [literals.domainNotFound] },
  }),
}
