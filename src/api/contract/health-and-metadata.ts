import { z } from 'zod'
import { document, json, text } from './answers.ts'
import { sentences } from './messages.ts'
import { defineRoute } from './route.ts'

const ofSection = { section: 'decisions §1', access: 'public' } as const

/** For programs: health, this interface's description, and what account servers read before anyone can sign in here. */
export const healthAndMetadataRoutes = {
  readHealth: defineRoute({
    ...ofSection,
    method: 'GET',
    path: '/healthz',
    summary: 'The process is up',
    answers: { 200: text('Up', 'ok') },
  }),
  readReadiness: defineRoute({
    ...ofSection,
    method: 'GET',
    path: '/readyz',
    summary: 'The service can do its work',
    answers: { 200: text('Ready', 'ok'), 503: text('Not ready', 'not ready') },
  }),
  readOpenApi: defineRoute({
    ...ofSection,
    method: 'GET',
    path: '/api/openapi.json',
    summary: 'This interface as an OpenAPI 3.1 document',
    answers: { 200: json('The document', z.looseObject({ openapi: z.literal('3.1.1') })) },
  }),
  readDocs: defineRoute({
    ...ofSection,
    method: 'GET',
    path: '/api/docs',
    summary: 'This interface as a page for people',
    answers: { 200: document('The page', 'text/html; charset=utf-8') },
  }),
  readDocsStyle: defineRoute({
    ...ofSection,
    method: 'GET',
    path: '/api/docs.css',
    summary: 'The style sheet of that page',
    answers: { 200: document('A style sheet', 'text/css; charset=utf-8') },
  }),
  readClientMetadata: defineRoute({
    ...ofSection,
    method: 'GET',
    path: '/oauth-client-metadata.json',
    summary: 'The OAuth client metadata of this service, for account servers',
    details: 'At a public address, its URL is the `client_id`.',
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
    failures: { 503: [sentences.storageAway] },
  }),
  readPublicKeys: defineRoute({
    ...ofSection,
    method: 'GET',
    path: '/jwks.json',
    summary: 'The public keys of this service, for account servers',
    details: 'Replaced keys stay while a session uses them.',
    answers: {
      200: json(
        'A JWK Set (RFC 7517); empty at a loopback address',
        z.strictObject({ keys: z.array(z.looseObject({ kid: z.string(), kty: z.string() })) }),
      ),
    },
    failures: { 503: [sentences.storageAway] },
  }),
}
