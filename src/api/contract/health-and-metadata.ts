import { z } from 'zod'
import { pageErrorNames } from '#site/page-errors.ts'
import { document, empty, file, json, text } from './answers.ts'
import { literals, sentences } from './messages.ts'
import { defineRoute } from './route.ts'

/** The conditional request of who has it already. */
const unchanged = { 304: empty('What you have is current') }

const ofSection = { section: 'decisions §1', access: 'public' } as const

/** For programs: health, errors of pages, this interface's description, and what account servers read before anyone can sign in here. */
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
    details: 'If not, each line after the first says which part is not ready.',
    answers: {
      200: text('Ready', 'ok'),
      503: document('Not ready, and why', 'text/plain; charset=utf-8'),
    },
  }),
  readMetrics: defineRoute({
    ...ofSection,
    method: 'GET',
    path: '/metrics',
    summary: 'Metrics for Prometheus',
    details:
      'With the token of `METRICS_TOKEN` as `Authorization: Bearer`; without that setting there is nothing here.',
    answers: { 200: document('The metrics', 'text/plain; version=0.0.4; charset=utf-8') },
    failures: { 401: [literals.unauthorized], 404: [literals.notFound] },
  }),
  countPageError: defineRoute({
    section: 'ours',
    access: 'public',
    method: 'POST',
    path: '/api/page-errors',
    limit: 'pageError',
    summary: 'Counts an error that nobody foresaw in a page of the application',
    details: 'Counts by name and browser engine (from `User-Agent`); stores nothing else.',
    body: {
      kind: 'json',
      schema: z.strictObject({ name: z.string().pipe(z.enum(pageErrorNames)) }),
    },
    answers: { 204: empty('Counted') },
  }),
  readOpenApi: defineRoute({
    ...ofSection,
    method: 'GET',
    path: '/api/openapi.json',
    summary: 'This interface as an OpenAPI 3.1 document',
    answers: {
      200: file('The document', z.looseObject({ openapi: z.literal('3.1.1') })),
      ...unchanged,
    },
  }),
  readDocs: defineRoute({
    ...ofSection,
    method: 'GET',
    path: '/api/docs',
    summary: 'This interface as a page for people',
    answers: { 200: document('The page', 'text/html; charset=utf-8'), ...unchanged },
  }),
  readDocsStyle: defineRoute({
    ...ofSection,
    method: 'GET',
    path: '/api/docs.css',
    summary: 'The style sheet of that page, and of the form at /report',
    answers: { 200: document('A style sheet', 'text/css; charset=utf-8'), ...unchanged },
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
