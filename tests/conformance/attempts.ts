/** A request that names something; `{name}` stands for it. */
export interface Attempt {
  readonly path?: string
  readonly json?: unknown
  /** The `siteName` of an upload. */
  readonly siteName?: string
  /** Where interface.md has an answer of its own for what is another's. */
  readonly foreign?: readonly [status: number, body: unknown]
}

/** Why a route cannot be used on what is another's. */
type NamesNothing = string

const notYours = [403, { error: 'Unauthorized' }] as const
const ownAccountOnly = 'names nothing: it is about the account that asks'
const everybodys = 'answers everybody the same, as interface.md has it'

/**
 * For every route that there is: the requests by which somebody could reach what is another's, or why there are
 * none. `ownDomain`, `ownId` and `theirs` are the asking account's own.
 */
export const attempts: Readonly<Record<string, readonly Attempt[] | NamesNothing>> = {
  'GET /api/auth/login': ownAccountOnly,
  'POST /api/auth/signin': ownAccountOnly,
  'GET /api/auth/callback': ownAccountOnly,
  'POST /api/auth/logout': ownAccountOnly,
  'POST /api/auth/logout-everywhere': ownAccountOnly,
  'GET /api/auth/status': ownAccountOnly,

  'GET /api/user/status': ownAccountOnly,
  'GET /api/user/info': ownAccountOnly,
  'GET /api/user/sites': ownAccountOnly,
  'GET /api/user/domains': ownAccountOnly,
  'GET /api/user/sessions': ownAccountOnly,
  'DELETE /api/user/sessions/:id': [{ path: '/api/user/sessions/{signIn}' }],
  'GET /api/user/export': ownAccountOnly,
  'DELETE /api/user': ownAccountOnly,
  'POST /api/user/sync': ownAccountOnly,
  'GET /api/user/site/:rkey/domains': [{ path: '/api/user/site/{rkey}/domains' }],

  'GET /api/domain/check': everybodys,
  'GET /api/domain/registered': everybodys,
  'POST /api/domain/claim': 'makes a name; one that is taken is answered so',
  'POST /api/domain/update': [
    { json: { handle: 'bobs-now', domain: '{domain}' } },
    { json: { handle: 'bobs-now', domain: '{domain}.' } },
  ],
  'POST /api/domain/sitehost/map-site': [
    { json: { domain: '{domain}', siteRkey: null } },
    { json: { domain: '{domain}', siteRkey: 'theirs' } },
    { json: { domain: '{domain}', siteRkey: '{rkey}' } },
    { json: { domain: '{ownDomain}', siteRkey: '{rkey}' } },
  ],
  'DELETE /api/domain/sitehost/:domain': [
    { path: '/api/domain/sitehost/{domain}' },
    { path: '/api/domain/sitehost/{domain}.' },
  ],
  'POST /api/domain/custom/add': 'makes a domain; one that another has verified is answered so',
  'POST /api/domain/custom/verify': [{ json: { id: '{id}' } }, { json: { id: '{waiting}' } }],
  'DELETE /api/domain/custom/:id': [
    { path: '/api/domain/custom/{id}' },
    { path: '/api/domain/custom/{waiting}' },
  ],
  'POST /api/domain/custom/:id/map-site': [
    { path: '/api/domain/custom/{id}/map-site', json: { siteRkey: null } },
    { path: '/api/domain/custom/{id}/map-site', json: { siteRkey: 'theirs' } },
    { path: '/api/domain/custom/{id}/map-site', json: { siteRkey: '{rkey}' } },
    { path: '/api/domain/custom/{waiting}/map-site', json: { siteRkey: 'theirs' } },
    { path: '/api/domain/custom/{ownId}/map-site', json: { siteRkey: '{rkey}' } },
  ],

  'DELETE /api/site/:rkey': [{ path: '/api/site/{rkey}' }],
  'GET /api/site/:rkey/settings': [{ path: '/api/site/{rkey}/settings' }],
  'POST /api/site/:rkey/settings': [
    { path: '/api/site/{rkey}/settings', json: { directoryListing: true } },
  ],
  'POST /api/site/:rkey/primary': [
    { path: '/api/site/{rkey}/primary', json: { domain: null } },
    { path: '/api/site/{rkey}/primary', json: { domain: '{domain}' } },
    { path: '/api/site/theirs/primary', json: { domain: '{domain}' } },
    { path: '/api/site/theirs/primary', json: { domain: '{customDomain}' } },
  ],

  // A site of this name becomes the asking account's own, beside the other's.
  'POST /sitehost/upload-files': [{ siteName: '{rkey}' }],
  'GET /sitehost/upload-progress/:jobId': [
    { path: '/sitehost/upload-progress/{jobId}', foreign: notYours },
    { path: '/sitehost/upload-progress/{endedJob}', foreign: notYours },
  ],
  'DELETE /sitehost/upload-progress/:jobId': [
    { path: '/sitehost/upload-progress/{jobId}', foreign: notYours },
    { path: '/sitehost/upload-progress/{endedJob}', foreign: notYours },
  ],

  'POST /api/admin/login': 'is about no account',
  'POST /api/admin/logout': 'is about no account',
  'GET /api/admin/status': 'is about no account',

  'GET /oauth-client-metadata.json': everybodys,
  'GET /jwks.json': everybodys,
  'GET /api/openapi.json': everybodys,
  'GET /api/docs': everybodys,
  'GET /api/docs.css': everybodys,
  'GET /healthz': everybodys,
  'GET /readyz': everybodys,
  'GET /*': everybodys,
}
