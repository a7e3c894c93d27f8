import { z } from 'zod'
import { json } from './answers.ts'
import { sentences } from './messages.ts'
import { defineRoute } from './route.ts'

const ofSection = { section: 'decisions §1', access: 'public' } as const
const failures = { 503: [sentences.storageAway] } as const

/** What account servers read of this service before they let anybody sign in to it. */
export const oauthClientRoutes = {
  readClientMetadata: defineRoute({
    ...ofSection,
    method: 'GET',
    path: '/oauth-client-metadata.json',
    summary: 'Who this service is to account servers',
    details: 'At a public address, its own is the `client_id`.',
    answers: {
      200: json(
        'An OAuth Client ID Metadata Document',
        z.looseObject({
          client_id: z.string(),
          redirect_uris: z.array(z.string()),
          scope: z.string(),
          token_endpoint_auth_method: z.enum(['none', 'private_key_jwt']),
        }),
      ),
    },
    failures,
  }),
  readPublicKeys: defineRoute({
    ...ofSection,
    method: 'GET',
    path: '/jwks.json',
    summary: 'The keys by which account servers know it',
    details: 'Those that have been replaced too, for as long as somebody is signed in by them.',
    answers: {
      200: json(
        'A JWK Set (RFC 7517); empty at a loopback address',
        z.strictObject({ keys: z.array(z.looseObject({ kid: z.string(), kty: z.string() })) }),
      ),
    },
    failures,
  }),
}
