import { aTime, like } from './like.ts'
import type { Row } from './row.ts'
import type { Scene } from './scene.ts'

const ofBlog = { section: 'ours', by: 'alice' } as const
const list = { ...ofBlog, route: 'GET /api/site/:rkey/tokens' } as const
const create = { ...ofBlog, route: 'POST /api/site/:rkey/tokens' } as const
const revoke = { ...ofBlog, route: 'DELETE /api/site/:rkey/tokens/:id' } as const
const listPublishers = { ...ofBlog, route: 'GET /api/site/:rkey/publishers' } as const
const add = { ...ofBlog, route: 'POST /api/site/:rkey/publishers' } as const
const remove = { ...ofBlog, route: 'DELETE /api/site/:rkey/publishers/:id' } as const
const job = {
  issuer: 'https://forge.example',
  repository: 'alice/site',
  ref: 'refs/heads/main',
  scope: 'deploy',
}
const publisher = {
  ...{ id: like('[0-9a-f-]{36}'), ...job, environment: null },
  ...{ createdAt: aTime, lastUsedAt: null },
}
const noSite = {
  what: 'what no site can be called',
  status: 404,
  body: { error: 'Site not found' },
} as const
const facts = { name: 'ci', scope: 'preview' } as const
const token = {
  ...{ id: like('[0-9a-f-]{36}'), ...facts },
  ...{ createdAt: aTime, expiresAt: aTime, lastUsedAt: null },
}

const makeToken = (scene: Scene) =>
  scene.do('alice', 'POST', '/api/site/token-listed/tokens', { ...facts })

const addPublisher = (scene: Scene) =>
  scene.do('alice', 'POST', '/api/site/publisher-listed/publishers', { ...job })

/**
 * Deploy tokens and publishers (docs/http-api.md). What they open and do not: src/api/routes/tokens.test.ts and
 * publishers.test.ts.
 */
export const tokenRows: readonly Row[] = [
  {
    ...create,
    what: 'a token, shown once',
    path: '/api/site/token-made/tokens',
    json: facts,
    status: 200,
    body: { secret: like('shd_[\\w-]{43}'), token },
  },
  { ...create, ...noSite, path: '/api/site/a%2Fb/tokens', json: facts },
  {
    ...list,
    what: 'the tokens, without their secrets',
    given: makeToken,
    path: '/api/site/token-listed/tokens',
    status: 200,
    body: { tokens: [token] },
  },
  { ...list, ...noSite, path: '/api/site/a%2Fb/tokens' },
  {
    ...revoke,
    what: 'a token that is not there',
    path: '/api/site/blog/tokens/00000000-0000-4000-8000-000000000004',
    status: 404,
    body: { error: 'This site has no such deploy token.' },
  },
  { ...revoke, ...noSite, path: '/api/site/a%2Fb/tokens/x' },
  {
    ...add,
    what: 'a publisher',
    path: '/api/site/publisher-made/publishers',
    json: job,
    status: 200,
    body: publisher,
  },
  { ...add, ...noSite, path: '/api/site/a%2Fb/publishers', json: job },
  {
    ...listPublishers,
    what: 'the publishers',
    given: addPublisher,
    path: '/api/site/publisher-listed/publishers',
    status: 200,
    body: { publishers: [publisher] },
  },
  { ...listPublishers, ...noSite, path: '/api/site/a%2Fb/publishers' },
  {
    ...remove,
    what: 'a publisher that is not there',
    path: '/api/site/blog/publishers/00000000-0000-4000-8000-000000000005',
    status: 404,
    body: { error: 'This site has no such publisher.' },
  },
  { ...remove, ...noSite, path: '/api/site/a%2Fb/publishers/x' },
  {
    ...{ section: 'ours', by: 'nobody', route: 'POST /api/tokens/exchange' },
    what: 'what is no token of a forge',
    json: { account: '{alice}', site: 'blog', token: 'x' },
    status: 400,
    body: {
      error: 'token: expected an OpenID Connect token of a forge, signed with RS256 or ES256',
    },
  },
]
