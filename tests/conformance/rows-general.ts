import { expect } from 'bun:test'
import { scopes } from '#atproto/oauth-client.ts'
import { like } from './like.ts'
import type { Row } from './row.ts'

const crossOrigin = { status: 403, body: { error: 'Cross-origin request refused' } }

/** decisions.md §1: what holds for every route, shown by one; and what is open to all. */
export const generalRows: readonly Row[] = [
  {
    route: 'GET /api/user/domains',
    section: 'decisions 1',
    what: 'what nobody foresaw: an id that is also in the log, nothing of the inside',
    by: 'alice',
    given: (scene) => scene.hideTable('subdomains'),
    status: 500,
    body: { error: 'Internal error', id: like('[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}') },
  },
  {
    route: 'POST /api/domain/claim',
    section: 'decisions 1',
    what: 'a page elsewhere asks',
    by: 'alice',
    headers: { 'sec-fetch-site': 'cross-site' },
    json: { handle: 'never-mine' },
    ...crossOrigin,
  },
  {
    route: 'DELETE /api/site/:rkey',
    section: 'decisions 1',
    what: 'a page elsewhere asks, also where failures have another shape',
    by: 'alice',
    path: '/api/site/blog',
    headers: { 'sec-fetch-site': 'same-site' },
    ...crossOrigin,
  },
  {
    route: 'POST /api/domain/claim',
    section: 'decisions 1',
    what: 'a body of more than 64 kB',
    by: 'alice',
    json: { handle: 'a'.repeat(64 * 1024) },
    ...{ status: 413, body: { error: 'body: at most 65536 bytes' } },
  },
  {
    route: 'GET /*',
    section: 'decisions 1',
    what: 'a route that is not there',
    by: 'alice',
    path: '/api/nothing',
    ...{ status: 404, body: { error: 'Not found' } },
    answerHeaders: {
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'strict-origin-when-cross-origin',
      'content-security-policy': like("(?!.*unsafe-).*frame-ancestors 'none'.*"),
      'strict-transport-security': null,
      'access-control-allow-origin': null,
    },
  },
  {
    route: 'GET /oauth-client-metadata.json',
    section: 'decisions 1',
    what: 'who the service is to account servers: at a loopback address, somebody without a key',
    by: 'nobody',
    status: 200,
    body: {
      client_id: like('http://localhost\\?scope=.+&redirect_uri=.+'),
      redirect_uris: [like('http://127\\.0\\.0\\.1:\\d+/api/auth/callback')],
      scope: scopes.join(' '),
      application_type: 'native',
      response_types: ['code'],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
      dpop_bound_access_tokens: true,
    },
    answerHeaders: { 'cache-control': 'public, max-age=600' },
  },
  {
    route: 'GET /jwks.json',
    section: 'decisions 1',
    what: 'and by which keys they know it',
    by: 'nobody',
    ...{ status: 200, body: { keys: [] } },
  },
  {
    route: 'GET /healthz',
    section: 'decisions 1',
    what: 'the process is up',
    by: 'nobody',
    ...{ status: 200, body: 'ok' },
  },
  {
    route: 'GET /api/openapi.json',
    section: 'decisions 1',
    what: 'the interface for programs',
    by: 'nobody',
    ...{ status: 200, body: expect.objectContaining({ openapi: '3.1.1' }) },
  },
  {
    route: 'GET /api/docs',
    section: 'decisions 1',
    what: 'and for people',
    by: 'nobody',
    ...{ status: 200, body: like('<!doctype html>[^]*</html>\\s*') },
    answerHeaders: { 'content-type': 'text/html; charset=utf-8' },
  },
  {
    route: 'GET /api/docs.css',
    section: 'decisions 1',
    what: 'which looks like something',
    by: 'nobody',
    ...{ status: 200, body: like('[^]*\\{[^]*') },
    answerHeaders: { 'content-type': 'text/css; charset=utf-8' },
  },
  {
    route: 'GET /readyz',
    section: 'decisions 1',
    what: 'it can serve',
    by: 'nobody',
    ...{ status: 200, body: 'ok' },
  },
]
