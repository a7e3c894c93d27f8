import { expect } from 'bun:test'

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
const administratorsOnly = 'refuses everybody who is signed in as an account'
const everybodys = 'answers everybody the same, as interface.md has it'

/** An account is no administrator, whoever it names. */
const asAdministrator = (path: string): readonly Attempt[] => [
  { path: `/api/admin/${path}`, json: { status: 451, reason: 'mine' } },
]

/** Of no bytes. */
const emptySha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

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
  'GET /api/user/usage': ownAccountOnly,
  'GET /api/user/sites': ownAccountOnly,
  'GET /api/user/domains': ownAccountOnly,
  'GET /api/user/foreign-sites': ownAccountOnly,
  'POST /api/user/foreign-sites/bring-over': [{ json: { name: 'place.wisp.fs/{rkey}' } }],
  'GET /api/user/foreign-webhooks': ownAccountOnly,
  'POST /api/user/foreign-webhooks/bring-over': ownAccountOnly,
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

  'GET /api/site/:rkey/versions/:id/changes': [
    { path: '/api/site/{rkey}/versions/live/changes' },
    { path: '/api/site/theirs/versions/live/changes?against={version}' },
    { path: '/api/site/theirs/versions/{version}/changes' },
  ],
  'GET /api/site/:rkey/versions/:id/files': [
    { path: '/api/site/{rkey}/versions/live/files' },
    { path: '/api/site/theirs/versions/{version}/files' },
  ],
  'GET /api/site/:rkey/versions/:id/content': [
    { path: '/api/site/{rkey}/versions/live/content?path=index.html' },
    { path: '/api/site/theirs/versions/{version}/content?path=index.html' },
  ],
  'GET /api/site/:rkey/versions/:id/archive': [
    { path: '/api/site/{rkey}/versions/live/archive' },
    { path: '/api/site/theirs/versions/{version}/archive' },
  ],
  'GET /api/site/:rkey/versions': [{ path: '/api/site/{rkey}/versions' }],
  'PATCH /api/site/:rkey/versions/:id': [
    { path: '/api/site/{rkey}/versions/live', json: { pinned: true } },
    { path: '/api/site/theirs/versions/{version}', json: { pinned: true } },
  ],
  'POST /api/site/:rkey/versions/:id/restore': [
    { path: '/api/site/{rkey}/versions/live/restore' },
    { path: '/api/site/theirs/versions/{version}/restore' },
  ],
  'DELETE /api/site/:rkey/versions/:id': [
    { path: '/api/site/{rkey}/versions/live' },
    { path: '/api/site/theirs/versions/{version}' },
  ],
  'DELETE /api/site/:rkey/previews/:alias': [{ path: '/api/site/{rkey}/previews/pr-12' }],
  'GET /api/site/:rkey/explain': [{ path: '/api/site/{rkey}/explain?address=/' }],
  'GET /api/site/:rkey/visits': [{ path: '/api/site/{rkey}/visits' }],
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

  // Too large: what begins has an id of its own.
  'POST /api/site/:rkey/deploys': [
    {
      path: '/api/site/{rkey}/deploys',
      json: { files: [{ path: 'a', sha256: emptySha256, size: 1e12 }] },
    },
    { path: '/api/site/{rkey}/deploys', json: { files: [], base: '{versionKey}' } },
    { path: '/api/site/theirs/deploys', json: { files: [], base: '{versionKey}' } },
  ],
  'PUT /api/deploys/:id/files/:sha256': [{ path: `/api/deploys/{deploy}/files/${emptySha256}` }],
  'GET /api/deploys/:id': [{ path: '/api/deploys/{deploy}' }],
  'POST /api/deploys/:id/commit': [{ path: '/api/deploys/{deploy}/commit' }],
  'DELETE /api/deploys/:id': [{ path: '/api/deploys/{deploy}' }],

  'GET /api/site/:rkey/tokens': [{ path: '/api/site/{rkey}/tokens' }],
  // A token of this name opens the asking account's own site alone.
  'POST /api/site/:rkey/tokens': [
    {
      path: '/api/site/{rkey}/tokens',
      json: { name: 'mine', scope: 'deploy' },
      foreign: [
        200,
        { secret: expect.any(String), token: expect.objectContaining({ name: 'mine' }) },
      ],
    },
  ],
  'DELETE /api/site/:rkey/tokens/:id': [
    { path: '/api/site/{rkey}/tokens/{token}' },
    { path: '/api/site/theirs/tokens/{token}' },
  ],

  'GET /api/site/:rkey/publishers': [{ path: '/api/site/{rkey}/publishers' }],
  // It may deploy the asking account's own site alone.
  'POST /api/site/:rkey/publishers': [
    {
      path: '/api/site/{rkey}/publishers',
      json: { issuer: 'https://forge.example', repository: 'bob/site', scope: 'preview' },
      foreign: [200, expect.objectContaining({ repository: 'bob/site' })],
    },
  ],
  'DELETE /api/site/:rkey/publishers/:id': [
    { path: '/api/site/{rkey}/publishers/{publisher}' },
    { path: '/api/site/theirs/publishers/{publisher}' },
  ],
  'POST /api/tokens/exchange': 'needs a token that the issuer of a publisher has signed',

  'GET /api/webhooks': ownAccountOnly,
  'POST /api/webhooks': ownAccountOnly,
  'PATCH /api/webhooks/:id': [{ path: '/api/webhooks/{webhook}', json: { enabled: true } }],
  'DELETE /api/webhooks/:id': [{ path: '/api/webhooks/{webhook}' }],
  'POST /api/webhooks/:id/secret': [{ path: '/api/webhooks/{webhook}/secret' }],
  'POST /api/webhooks/:id/test': [{ path: '/api/webhooks/{webhook}/test' }],
  'GET /api/webhooks/:id/deliveries': [{ path: '/api/webhooks/{webhook}/deliveries' }],
  'POST /api/webhooks/:id/deliveries/:delivery/redeliver': [
    { path: '/api/webhooks/{webhook}/deliveries/{delivery}/redeliver' },
  ],

  'POST /api/admin/login': 'is about no account',
  'POST /api/admin/logout': 'is about no account',
  'GET /api/admin/status': 'is about no account',
  'GET /api/admin/logs': administratorsOnly,
  'GET /api/admin/logs/stream': administratorsOnly,
  'GET /api/admin/errors': administratorsOnly,
  'GET /api/admin/metrics': administratorsOnly,
  'GET /api/admin/database': administratorsOnly,
  'GET /api/admin/cache': administratorsOnly,
  'GET /api/admin/sites': administratorsOnly,
  'GET /api/admin/health': administratorsOnly,
  'GET /api/admin/overview': administratorsOnly,
  'GET /api/admin/series': administratorsOnly,
  'GET /api/admin/sites/:did/:rkey': [{ path: '/api/admin/sites/{alice}/{rkey}' }],
  'GET /api/admin/accounts': administratorsOnly,
  'GET /api/admin/accounts/:did': [{ path: '/api/admin/accounts/{alice}' }],
  'GET /api/admin/domains': administratorsOnly,
  'GET /api/admin/jobs': administratorsOnly,
  'POST /api/admin/sites/:did/:rkey/take-down': asAdministrator(
    'sites/did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/blog/take-down',
  ),
  'POST /api/admin/sites/:did/:rkey/bring-back': asAdministrator(
    'sites/did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/blog/bring-back',
  ),
  'POST /api/admin/sites/:did/:rkey/retry': asAdministrator(
    'sites/did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/blog/retry',
  ),
  'POST /api/admin/sites/:did/:rkey/purge-blobs': asAdministrator(
    'sites/did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/blog/purge-blobs',
  ),
  'POST /api/admin/sites/:did/:rkey/verify-blobs': asAdministrator(
    'sites/did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/blog/verify-blobs',
  ),
  'POST /api/admin/accounts/:did/take-down': asAdministrator(
    'accounts/did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/take-down',
  ),
  'POST /api/admin/accounts/:did/bring-back': asAdministrator(
    'accounts/did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/bring-back',
  ),
  'POST /api/admin/accounts/:did/end-sessions': asAdministrator(
    'accounts/did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/end-sessions',
  ),
  'POST /api/admin/accounts/:did/limits': asAdministrator(
    'accounts/did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/limits',
  ),
  'POST /api/admin/domains/:domain/recheck': asAdministrator('domains/{customDomain}/recheck'),
  'POST /api/admin/names/:domain/release': asAdministrator('names/{domain}/release'),
  'POST /api/admin/jobs/:id/cancel': asAdministrator('jobs/{jobId}/cancel'),
  'POST /api/admin/reports/:id/handle': asAdministrator('reports/1/handle'),
  'POST /api/admin/invitations/:id/revoke': asAdministrator('invitations/x/revoke'),
  'GET /api/admin/reports': 'is about no account',
  'GET /api/admin/audit': 'is about no account',
  'GET /api/admin/invitations': 'is about no account',
  'POST /api/admin/invitations': 'is about no account',
  'GET /api/admin/allowed': 'is about no account',
  'POST /api/admin/allowed': 'is about no account',
  'POST /api/report': 'is about no account',
  'GET /report': everybodys,
  'POST /report': 'is about no account',
  'POST /api/page-errors': 'is about no account',
  'GET /invitation/:code': [{ path: '/invitation/nobody-made-this-one-up-yet' }],

  'GET /oauth-client-metadata.json': everybodys,
  'GET /jwks.json': everybodys,
  'GET /api/openapi.json': everybodys,
  'GET /api/docs': everybodys,
  'GET /api/docs.css': everybodys,
  'GET /healthz': everybodys,
  'GET /readyz': everybodys,
  'GET /metrics': everybodys,
  'GET /*': everybodys,
}
