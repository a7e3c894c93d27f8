import { z } from 'zod'
import { json } from './answers.ts'
import { literals, sentences } from './messages.ts'
import { defineRoute } from './route.ts'
import { domainId, done, siteRkey } from './rows.ts'

const ofSection = { section: '4.3', access: 'signed-in', takesServiceAuth: true } as const

/** `/api/domain/custom/*`: the signed-in account's own domains. */
export const customDomainRoutes = {
  addCustomDomain: defineRoute({
    ...ofSection,
    method: 'POST',
    path: '/api/domain/custom/add',
    limit: 'customAdd',
    summary: 'Adds a domain, which is then to be verified',
    details: 'A domain that the account has already is answered as it is.',
    body: {
      kind: 'json',
      schema: z.object({ domain: z.string().meta({ examples: ['www.example.com'] }) }),
    },
    answers: {
      200: json(
        'Added',
        z.strictObject({
          success: z.literal(true),
          id: domainId,
          domain: z.string().describe('Folded to lower-case A-labels'),
          verified: z.boolean(),
        }),
      ),
    },
    failures: {
      400: [
        sentences.notADomain,
        sentences.publicSuffix,
        sentences.specialUse,
        sentences.ourOwnName,
      ],
      403: [sentences.pendingDomains, sentences.domainLimit],
      409: [sentences.verifiedElsewhere],
    },
  }),
  verifyCustomDomain: defineRoute({
    ...ofSection,
    confirmsGrant: true,
    method: 'POST',
    path: '/api/domain/custom/verify',
    limit: 'verify',
    summary: 'Looks now whether the domain’s TXT record names the account',
    body: { kind: 'json', schema: z.object({ id: domainId }) },
    answers: {
      200: json(
        'The result of the look-up',
        z.strictObject({
          success: z.boolean().describe('The same as `verified`'),
          verified: z.boolean(),
          error: z.string().nullable().describe('What is wrong and what to set, in one sentence'),
          found: z.boolean().describe('Whether there was any value, right or wrong'),
        }),
      ),
    },
    failures: { 404: [literals.domainNotFound], 429: [sentences.lookUpsBusy] },
  }),
  deleteCustomDomain: defineRoute({
    ...ofSection,
    confirmsGrant: true,
    method: 'DELETE',
    path: '/api/domain/custom/:id',
    summary: 'Deletes a domain here',
    params: { id: domainId },
    answers: { 200: done },
    failures: { 404: [literals.domainNotFound] },
  }),
  mapCustomDomain: defineRoute({
    ...ofSection,
    method: 'POST',
    path: '/api/domain/custom/:id/map-site',
    summary: 'Maps a domain to a site, or to none',
    details: 'An unverified domain may be mapped, and is not served.',
    params: { id: domainId },
    body: { kind: 'json', schema: z.object({ siteRkey }) },
    answers: { 200: done },
    failures: { 404: [literals.siteNotFound, literals.domainNotFound] },
  }),
}
