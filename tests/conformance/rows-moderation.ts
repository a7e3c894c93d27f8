import { like } from './like.ts'
import type { Row } from './row.ts'
import { ruthIsSignedIn } from './rows-admin.ts'

const reason = 'because'
const site = '/api/admin/sites/did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/blog'
const account = '/api/admin/accounts/did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const done = { status: 200, body: { success: true } }
const noSite = { status: 404, body: { error: 'Site not found' } }
const noDomain = { status: 404, body: { error: 'Domain not found' } }

const byRuth = (
  method: string,
  route: string,
  facts: Omit<Row, 'route' | 'by' | 'section'>,
): Row => ({
  route: `${method} ${route}`,
  section: 'decisions 6',
  by: 'nobody',
  given: ruthIsSignedIn,
  ...facts,
})

const inSite = (verb: string): string => `/api/admin/sites/:did/:rkey/${verb}`
const inAccount = (verb: string): string => `/api/admin/accounts/:did/${verb}`

/** What administrators do, and what visitors report. */
export const moderationRows: readonly Row[] = [
  ...['take-down', 'bring-back', 'retry', 'purge-blobs', 'verify-blobs'].map((verb) =>
    byRuth('POST', inSite(verb), {
      what: 'what is no name of a site',
      path: `/api/admin/sites/nobody/blog/${verb}`,
      json: { status: 451, reason },
      ...noSite,
    }),
  ),
  byRuth('POST', inSite('take-down'), {
    what: 'a site that is not here',
    path: `${site}/take-down`,
    json: { status: 404, reason },
    ...done,
  }),
  byRuth('POST', inSite('bring-back'), {
    what: 'back again',
    path: `${site}/bring-back`,
    json: { reason },
    ...done,
  }),
  byRuth('POST', inSite('retry'), {
    what: 'a site of an account that is not known',
    path: `${site}/retry`,
    json: { reason },
    ...noSite,
  }),
  ...['take-down', 'bring-back', 'end-sessions', 'limits'].map((verb) =>
    byRuth('POST', inAccount(verb), {
      what: 'one after another',
      path: `${account}/${verb}`,
      json: { status: 451, sitesMax: null, bytesMax: null, uploadsPerDayMax: 5, reason },
      ...done,
    }),
  ),
  byRuth('POST', '/api/admin/domains/:domain/recheck', {
    what: 'nobody has it',
    path: '/api/admin/domains/www.nobody.example/recheck',
    json: { reason },
    ...noDomain,
  }),
  byRuth('POST', '/api/admin/names/:domain/release', {
    what: 'nobody has it',
    path: '/api/admin/names/nobody.localhost/release',
    json: { reason },
    ...noDomain,
  }),
  byRuth('POST', '/api/admin/jobs/:id/cancel', {
    what: 'there is none',
    path: '/api/admin/jobs/00000000-0000-4000-8000-000000000000/cancel',
    json: { reason },
    ...{ status: 404, body: { error: 'Job not found' } },
  }),
  {
    route: 'POST /api/report',
    section: 'decisions 1',
    what: 'an address without a site',
    by: 'nobody',
    json: { url: 'https://example.org/', kind: 'other', text: 'x' },
    ...{ status: 404, body: { error: like('No site of this service is at that address.*') } },
  },
  {
    route: 'GET /report',
    section: 'ours',
    what: 'a form',
    by: 'nobody',
    ...{ status: 200, body: like('[^]*<h1>Report a site</h1>[^]*') },
  },
  {
    route: 'POST /report',
    section: 'ours',
    what: 'not filled in',
    by: 'nobody',
    ...{ status: 400, body: like('[^]*role="alert"[^]*') },
  },
  {
    route: 'POST /api/page-errors',
    section: 'ours',
    what: 'of a name on the list',
    by: 'nobody',
    json: { name: 'TypeError' },
    ...{ status: 204, body: '' },
  },
  {
    route: 'POST /api/page-errors',
    section: 'ours',
    what: 'of another name',
    by: 'nobody',
    json: { name: 'alice was here' },
    ...{ status: 400, body: { error: like('name: .*') } },
  },
  byRuth('GET', '/api/admin/reports', {
    what: 'none yet',
    path: '/api/admin/reports?state=open',
    ...{ status: 200, body: { reports: [], cursor: null } },
  }),
  byRuth('POST', '/api/admin/reports/:id/handle', {
    what: 'there is none',
    path: '/api/admin/reports/1/handle',
    json: { outcome: 'nothing', reason },
    ...{ status: 404, body: { error: 'There is no such open report.' } },
  }),
  byRuth('GET', '/api/admin/audit', {
    what: 'nobody did such a thing',
    path: '/api/admin/audit?search=unheard-of',
    ...{ status: 200, body: { entries: [], cursor: null } },
  }),
  byRuth('GET', '/api/admin/invitations', {
    what: 'none yet',
    path: '/api/admin/invitations?cursor=1.0000000000000000000000000000000000000000000000000000000000000000',
    ...{ status: 200, body: { signIn: 'open', invitations: [], cursor: null } },
  }),
  byRuth('POST', '/api/admin/invitations', {
    what: 'its address, once',
    json: { days: 7, reason },
    status: 200,
    body: {
      success: true,
      id: like('[0-9a-f]{64}'),
      url: like('.*/invitation/[\\w-]{27}'),
      expiresAt: like('\\d{4}-.*Z'),
    },
  }),
  byRuth('POST', '/api/admin/invitations/:id/revoke', {
    what: 'there is none',
    path: '/api/admin/invitations/x/revoke',
    json: { reason },
    ...{ status: 404, body: { error: 'There is no such open invitation.' } },
  }),
  byRuth('GET', '/api/admin/allowed', {
    what: 'everybody may sign in',
    ...{ status: 200, body: { signIn: 'open', accounts: [], cursor: null } },
  }),
  byRuth('POST', '/api/admin/allowed', {
    what: 'not on the list',
    json: { account: 'nobody.example', allowed: false, reason },
    ...{ status: 404, body: { error: 'That account does not exist.' } },
  }),
  {
    route: 'GET /invitation/:code',
    section: 'ours',
    what: 'nobody made it',
    by: 'nobody',
    path: '/invitation/nobody-made-this-one-up-yet',
    ...{ status: 302, body: '', location: '/?error=auth_failed&reason=invitation_over' },
  },
]
