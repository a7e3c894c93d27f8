import { aTime, like } from './like.ts'
import type { Row } from './row.ts'

const sha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const unknown = '/api/deploys/00000000-0000-4000-8000-000000000003'
const ofAlice = { section: 'ours', by: 'alice' } as const
const notFound = {
  what: 'a deploy that is not there',
  status: 404,
  body: { error: 'Deploy not found' },
} as const

/** Uploads that send only what is missing (docs/http-api.md, "Deploys"). From end to end: tests/deploys. */
export const deployRows: readonly Row[] = [
  {
    ...ofAlice,
    route: 'POST /api/site/:rkey/deploys',
    what: 'what is missing of a site',
    path: '/api/site/deployed/deploys',
    json: { files: [{ path: 'index.html', sha256, size: 0 }] },
    status: 200,
    body: { deployId: like('[0-9a-f-]{36}'), missing: [sha256], expiresAt: aTime },
  },
  {
    ...ofAlice,
    route: 'POST /api/site/:rkey/deploys',
    what: 'a bad path',
    path: '/api/site/deployed/deploys',
    json: { files: [{ path: '../x', sha256, size: 0 }] },
    status: 400,
    body: { error: 'Bad file path "../x": dot segment.' },
  },
  {
    ...ofAlice,
    route: 'POST /api/site/:rkey/deploys',
    what: 'a preview',
    path: '/api/site/deployed/deploys',
    json: { files: [{ path: 'index.html', sha256, size: 0 }], preview: { alias: 'pr-12' } },
    status: 200,
    body: { deployId: like('[0-9a-f-]{36}'), missing: [sha256], expiresAt: aTime },
  },
  {
    ...ofAlice,
    route: 'POST /api/site/:rkey/deploys',
    what: 'a preview with a bad alias',
    path: '/api/site/deployed/deploys',
    json: { files: [{ path: 'index.html', sha256, size: 0 }], preview: { alias: 'PR 12' } },
    status: 400,
    body: { error: 'preview.alias: expected 3 to 35 of a-z, 0-9 and single hyphens inside' },
  },
  {
    ...ofAlice,
    route: 'POST /api/site/:rkey/deploys',
    what: 'a version that is not there as the base',
    path: '/api/site/deployed/deploys',
    json: { files: [{ path: 'index.html', sha256, size: 0 }], base: '3mkq2vtpdbk2c' },
    status: 404,
    body: { error: 'This site has no such version.' },
  },
  {
    ...{ ...ofAlice, ...notFound },
    route: 'PUT /api/deploys/:id/files/:sha256',
    path: `${unknown}/files/${sha256}`,
  },
  { ...ofAlice, ...notFound, route: 'GET /api/deploys/:id', path: unknown },
  { ...ofAlice, ...notFound, route: 'POST /api/deploys/:id/commit', path: `${unknown}/commit` },
  { ...ofAlice, ...notFound, route: 'DELETE /api/deploys/:id', path: unknown },
]
