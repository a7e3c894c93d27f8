import { expect } from 'bun:test'
import { putRecord } from '../support/accounts.ts'
import { aCid, aTime, like } from './like.ts'
import type { Row } from './row.ts'
import type { Scene } from './scene.ts'

const aNumber: unknown = expect.any(Number)

const today = {
  ...{ requests: aNumber, refused: 0, warning: null },
  bytes: { used: aNumber, max: 1_000_000_000_000 },
}

const siteHost = 's--[a-z2-7]{26}\\.{base}'

/** A name and a domain of bob's, both leading to his site. */
async function bobsDomains(scene: Scene): Promise<void> {
  await scene.claim('bob', 'bobs-name')
  await scene.add('bob', 'bob-example.com')
  const { domain, id } = scene.facts
  const siteRkey = 'theirs'
  await scene.do('bob', 'POST', '/api/domain/sitehost/map-site', { domain, siteRkey })
  await scene.do('bob', 'POST', `/api/domain/custom/${id}/map-site`, { siteRkey })
}

const domainsOfTheSite = [
  { type: 'sitehost', domain: 'bobs-name.{base}' },
  { type: 'custom', domain: 'bob-example.com', verified: false, id: '{id}' },
]

const customRow = {
  id: '{id}',
  domain: 'bob-example.com',
  verified: false,
  lastCheckedAt: null,
  createdAt: aTime,
  warning: null,
  dns: {
    txt: { name: '_sitehost.bob-example.com', value: '{bob}' },
    cname: { name: 'bob-example.com', target: '{id}.dns.{base}' },
  },
  found: { txt: false, cname: false },
  lost: false,
  zone: 'bob-example.com',
}

/** §4.2, with the rows of decisions.md §6. */
export const userRows: readonly Row[] = [
  {
    route: 'GET /api/user/status',
    section: '4.2',
    what: 'who has a site and a name',
    by: 'bob',
    given: bobsDomains,
    status: 200,
    body: { did: '{bob}', hasSites: true, hasDomain: true, domain: '{domain}', sitesCount: 1 },
  },
  {
    route: 'GET /api/user/status',
    section: '4.2',
    what: 'who has nothing',
    by: 'carol',
    status: 200,
    body: { did: '{carol}', hasSites: false, hasDomain: false, domain: null, sitesCount: 0 },
  },
  {
    route: 'GET /api/user/status',
    section: 'decisions 6',
    what: 'of several names the oldest',
    by: 'carol',
    given: async (scene) => {
      await scene.claim('carol', 'zzz-first')
      await scene.claim('carol', 'aaa-second')
    },
    status: 200,
    body: {
      ...{ did: '{carol}', hasSites: false, hasDomain: true },
      ...{ domain: 'zzz-first.{base}', sitesCount: 0 },
    },
  },
  {
    route: 'GET /api/user/status',
    section: 'decisions 1',
    situation: 'Authenticated route, cookie missing or invalid',
    what: 'nobody is signed in',
    by: 'nobody',
    ...{ status: 401, body: { error: 'Unauthorized' } },
  },
  {
    route: 'GET /api/user/usage',
    section: 'ours',
    what: 'who has a site',
    by: 'bob',
    status: 200,
    body: {
      pds: like('http://localhost:\\d+'),
      sites: { used: 1, max: 1000 },
      bytes: { used: aNumber, max: 5_000_000_000 },
      uploads: { used: aNumber, max: 1000 },
      today: { ...today, bytes: { used: aNumber, max: 2_000_000_000_000 } },
    },
  },
  {
    route: 'GET /api/user/usage',
    section: 'ours',
    what: 'nobody is signed in',
    by: 'nobody',
    ...{ status: 401, body: { error: 'Unauthorized' } },
  },
  {
    route: 'GET /api/user/info',
    section: '4.2',
    what: 'what the account is called',
    by: 'alice',
    ...{ status: 200, body: { did: '{alice}', handle: 'alice.test' } },
  },
  {
    route: 'GET /api/user/sites',
    section: '4.2',
    what: 'the sites with all that is known of them',
    by: 'bob',
    given: bobsDomains,
    status: 200,
    body: {
      sites: [
        {
          rkey: 'theirs',
          displayName: 'theirs',
          uri: 'at://{bob}/place.sitehost.fs/theirs',
          cid: aCid,
          fileCount: 1,
          bytes: '<h1>theirs</h1>'.length,
          url: like(`http://${siteHost}:\\d+/`),
          domains: domainsOfTheSite,
          primary: null,
          createdAt: aTime,
          updatedAt: aTime,
          publishedAt: aTime,
          verifiedAt: aTime,
          state: 'live',
          problems: [],
          today,
        },
      ],
    },
  },
  {
    route: 'GET /api/user/sites',
    section: '4.2',
    what: 'none',
    by: 'carol',
    ...{ status: 200, body: { sites: [] } },
  },
  {
    route: 'GET /api/user/domains',
    section: '4.2',
    what: 'the names and the domains, mapped',
    by: 'bob',
    given: bobsDomains,
    status: 200,
    body: {
      sitehostDomains: [{ domain: '{domain}', rkey: 'theirs' }],
      customDomains: [{ ...customRow, rkey: 'theirs' }],
    },
  },
  {
    route: 'GET /api/user/domains',
    section: 'decisions 6',
    what: 'and unmapped',
    by: 'bob',
    given: async (scene) => {
      await scene.claim('bob', 'bobs-name')
      await scene.add('bob', 'bob-example.com')
    },
    status: 200,
    body: {
      sitehostDomains: [{ domain: '{domain}', rkey: '' }],
      customDomains: [{ ...customRow, rkey: null }],
    },
  },
  {
    route: 'GET /api/user/domains',
    section: '4.2',
    what: 'none',
    by: 'carol',
    ...{ status: 200, body: { sitehostDomains: [], customDomains: [] } },
  },
  {
    route: 'POST /api/user/sync',
    section: '4.2',
    what: 'all sites are up to date',
    by: 'bob',
    ...{ status: 200, body: { success: true, synced: 1, errors: [] } },
  },
  {
    route: 'POST /api/user/sync',
    section: 'decisions 5',
    what: 'one is refused, and says why',
    by: 'carol',
    given: async (scene) => {
      const { repo } = scene.stage.people.carol
      await putRecord(repo, 'place.sitehost.fs', 'refused', { site: 'refused', root: {} })
      scene.after(() => scene.do('carol', 'DELETE', '/api/site/refused'))
    },
    status: 200,
    body: {
      success: false,
      synced: 0,
      errors: [{ rkey: 'refused', error: like('This version is refused: .+') }],
    },
  },
  {
    route: 'POST /api/user/sync',
    section: 'decisions 5',
    what: 'the account’s server does not answer',
    by: 'bob',
    given: (scene) => scene.fail({ 'com.atproto.repo.listRecords': { status: 500 } }),
    status: 502,
    body: {
      error: 'Your account’s server has a fault at the moment. Try again in a few minutes.',
    },
  },
  {
    route: 'GET /api/user/site/:rkey/domains',
    section: '4.2',
    what: 'what leads to one site',
    by: 'bob',
    path: '/api/user/site/theirs/domains',
    given: bobsDomains,
    ...{ status: 200, body: { rkey: 'theirs', domains: domainsOfTheSite } },
  },
  {
    route: 'GET /api/user/site/:rkey/domains',
    section: '4.2',
    what: 'nothing does',
    by: 'alice',
    path: '/api/user/site/blog/domains',
    ...{ status: 200, body: { rkey: 'blog', domains: [] } },
  },
  {
    route: 'GET /api/user/site/:rkey/domains',
    section: 'decisions 5',
    what: 'what cannot be a site',
    by: 'alice',
    path: '/api/user/site/a%20b/domains',
    ...{ status: 404, body: { error: 'Site not found' } },
  },
]
