import { expect } from 'bun:test'
import { deleteRecord, putRecord } from '../support/accounts.ts'
import { aCid, like } from './like.ts'
import type { Row } from './row.ts'
import type { Scene } from './scene.ts'

const collection = 'place.sitehost.settings'
const failed = (error: string) => ({ success: false, error })
const siteNotFound = { status: 404, body: failed('Site not found') }
const serverFault = {
  status: 502,
  body: failed('Your account’s server has a fault at the moment. Try again in a few minutes.'),
}
const onlyOne = {
  status: 400,
  body: failed('Only one of spaMode, directoryListing, or custom404 can be enabled'),
}

/** Settings of alice's blog that are gone afterwards. */
async function settings(scene: Scene, record: object | null): Promise<void> {
  const { repo } = scene.stage.people.alice
  if (record !== null) await putRecord(repo, collection, 'blog', record)
  scene.after(() => deleteRecord(repo, collection, 'blog'))
}

/** A name of alice's that leads to her blog. */
async function mapped(scene: Scene): Promise<void> {
  await scene.claim('alice', 'alices-name')
  const { domain } = scene.facts
  await scene.do('alice', 'POST', '/api/domain/sitehost/map-site', { domain, siteRkey: 'blog' })
}

const readFailure = 'Site delete or settings read failure'
const remove = { route: 'DELETE /api/site/:rkey', by: 'alice' } as const
const read = {
  ...{ route: 'GET /api/site/:rkey/settings', path: '/api/site/blog/settings' },
  by: 'alice',
} as const
const explained = { route: 'GET /api/site/:rkey/explain', section: 'ours', by: 'alice' } as const
const visits = { route: 'GET /api/site/:rkey/visits', section: 'ours', by: 'alice' } as const
const aDate = like('\\d{4}-\\d\\d-\\d\\d')
const aList: unknown = expect.any(Array)
const ofService = (name: string, value: unknown) => ({ name, value, from: [] })
const write = {
  ...{ route: 'POST /api/site/:rkey/settings', path: '/api/site/blog/settings' },
  by: 'alice',
} as const
const primary = {
  route: 'POST /api/site/:rkey/primary',
  path: '/api/site/blog/primary',
  section: 'ours',
  by: 'alice',
} as const
const written = {
  status: 200,
  body: { success: true, uri: `at://{alice}/${collection}/blog`, cid: aCid },
}

const changedMeanwhile = {
  status: 409,
  body: failed('This site was changed by another program meanwhile. Try again.'),
}

/** §4.4, with decisions.md §5. */
export const siteRows: readonly Row[] = [
  {
    ...visits,
    what: 'who came, of a site of one’s own',
    path: '/api/site/blog/visits?days=1',
    status: 200,
    body: {
      since: aDate,
      ...{ days: aList, pages: aList, referrers: aList, countries: aList, statuses: aList },
    },
  },
  {
    ...visits,
    what: 'more days than are kept',
    path: '/api/site/blog/visits?days=91',
    ...{ status: 400, body: failed('days: expected at most 90') },
  },
  {
    ...visits,
    what: 'a site that is not there',
    path: '/api/site/nowhere/visits',
    ...siteNotFound,
  },
  {
    ...explained,
    what: 'why there is no such page',
    path: '/api/site/blog/explain?address=/nothing',
    status: 200,
    body: {
      address: like('http://s--[a-z2-7]{26}\\.{base}:\\d+/nothing'),
      ...{ status: 404, by: 'nothing', file: null, location: null },
      ...{ rule: null, overruled: null },
      headers: [
        ofService('access-control-allow-origin', '*'),
        ofService('access-control-expose-headers', '*'),
        ofService('x-content-type-options', 'nosniff'),
        ofService('x-sitehost-record', 'at://{alice}/place.sitehost.fs/blog'),
        ofService('x-sitehost-version', aCid),
        ofService('content-type', 'text/html; charset=utf-8'),
        ofService(
          'content-security-policy',
          like("default-src 'none'; style-src 'sha256-[A-Za-z0-9+/=]{44}'"),
        ),
        ofService('cache-control', 'no-store'),
      ],
    },
  },
  {
    ...explained,
    what: 'an address of another site',
    path: '/api/site/blog/explain?address=https://example.com/',
    status: 400,
    body: failed('address: expected a path, such as /about, or an address of this site'),
  },
  {
    ...explained,
    what: 'a site that is not there',
    path: '/api/site/nowhere/explain?address=/',
    ...siteNotFound,
  },
  {
    ...remove,
    section: '4.4',
    what: 'a site of one’s own',
    given: (scene) => scene.publish('alice', 'doomed'),
    path: '/api/site/doomed',
    ...{ status: 200, body: { success: true, message: 'Site deleted successfully' } },
  },
  {
    ...remove,
    section: '4.4',
    situation: readFailure,
    what: 'a site that is not there',
    path: '/api/site/nowhere',
    ...siteNotFound,
  },
  { ...remove, section: 'decisions 5', what: 'no name', path: '/api/site/..%2F', ...siteNotFound },
  {
    ...remove,
    section: 'decisions 1',
    what: 'a site that is being published',
    given: (scene) => scene.running('alice', 'under-way'),
    path: '/api/site/under-way',
    status: 409,
    body: failed('This site is being published. Wait until that has finished, or cancel it.'),
  },
  {
    ...remove,
    section: '4.4',
    situation: readFailure,
    what: 'the account’s server has a fault',
    given: (scene) => scene.fail({ 'com.atproto.repo.listRecords': { status: 500 } }),
    path: '/api/site/blog',
    ...serverFault,
  },
  {
    ...read,
    section: '4.4',
    what: 'without a record, the defaults',
    status: 200,
    body: { indexFiles: ['index.html'], cleanUrls: false, directoryListing: false },
    answerHeaders: { etag: '"none"' },
  },
  {
    ...read,
    section: '4.4',
    what: 'the record as it is stored, whoever wrote it',
    given: (scene) => settings(scene, { cleanUrls: true, theirs: [1] }),
    ...{ status: 200, body: { $type: collection, cleanUrls: true, theirs: [1] } },
  },
  {
    ...read,
    section: 'decisions 5',
    what: 'what cannot be a site',
    path: '/api/site/a%20b/settings',
    ...siteNotFound,
  },
  {
    ...read,
    section: '4.4',
    situation: readFailure,
    what: 'the account’s server has a fault',
    given: (scene) => scene.fail({ 'com.atproto.repo.getRecord': { status: 500 } }),
    ...serverFault,
  },
  ...(
    [
      ['"none"', 'none, as when it was read', null, written],
      ['"none"', 'what another program has written since', { cleanUrls: true }, changedMeanwhile],
      ['*', 'any', { cleanUrls: true }, written],
    ] as const
  ).map(([tag, what, record, answer]) => ({
    ...write,
    section: 'ours' as const,
    what: `over ${what}: If-Match ${tag}`,
    given: (scene: Scene) => settings(scene, record),
    headers: { 'if-match': tag },
    json: { directoryListing: true },
    ...answer,
  })),
  {
    ...write,
    section: '4.4',
    what: 'all of them at once',
    given: (scene) => settings(scene, null),
    json: {
      indexFiles: ['index.html', 'start.html'],
      cleanUrls: true,
      trailingSlash: 'never',
      directoryListing: false,
      spaMode: '',
      custom404: '404.html',
      headers: [{ name: 'X-Frame-Options', value: 'DENY', path: '/*' }],
    },
    ...written,
  },
  ...[false, null, ''].map((unset) => ({
    ...write,
    section: 'decisions 8' as const,
    what: `pages that are ${JSON.stringify(unset)}: not set`,
    given: (scene: Scene) => settings(scene, null),
    json: { spaMode: unset, custom404: unset, directoryListing: true },
    ...written,
  })),
  {
    ...write,
    section: 'decisions 5',
    what: 'what is not known is dropped, `__proto__` too',
    given: (scene) => settings(scene, null),
    json: '{"__proto__":{"cleanUrls":true},"unknown":1}',
    ...written,
  },
  ...[
    { spaMode: 'index.html', directoryListing: true },
    { spaMode: 'index.html', custom404: '404.html' },
    { directoryListing: true, custom404: '404.html' },
    { spaMode: true, directoryListing: true, custom404: true },
  ].map((json) => ({
    ...write,
    section: '4.4' as const,
    situation:
      'Settings write with more than one of `spaMode`, `directoryListing`, `custom404` enabled',
    what: `two modes: ${JSON.stringify(json)}`,
    ...{ json, ...onlyOne },
  })),
  ...(
    [
      [{ cleanUrls: 'yes' }, 'cleanUrls: .+'],
      [{ indexFiles: ['../x'] }, 'indexFiles\\.0: expected the name of a file, without a folder'],
      [{ indexFiles: Array(11).fill('index.html') }, 'indexFiles: .+'],
      [{ trailingSlash: 'sometimes' }, 'trailingSlash: .+'],
      [{ spaMode: 'a'.repeat(501) }, 'spaMode: expected the path of a file in the site, .+'],
      [{ headers: Array(51).fill({ name: 'x-a', value: 'b' }) }, 'headers: .+'],
      [{ headers: [{ name: 'a b', value: '' }] }, 'headers\\.0\\.name: .+'],
      [{ headers: [{ name: 'x-a', value: 'b', path: '/a/../b' }] }, 'headers\\.0\\.path: .+'],
    ] as const
  ).map(([json, error]) => ({
    ...write,
    section: 'decisions 5' as const,
    what: `a field that is wrong is named: ${error}`,
    ...{ json, status: 400, body: { success: false, error: like(error) } },
  })),
  {
    ...write,
    section: 'decisions 1',
    what: 'a body that is not JSON',
    json: 'cleanUrls=true',
    ...{ status: 400, body: failed('body: expected JSON') },
  },
  {
    ...write,
    section: 'decisions 1',
    what: 'a body of more than 512 kB',
    json: { spaMode: 'a'.repeat(512 * 1024) },
    ...{ status: 413, body: failed('body: at most 524288 bytes') },
  },
  {
    ...write,
    section: 'decisions 5',
    what: 'a site that is not there',
    path: '/api/site/nowhere/settings',
    json: {},
    ...siteNotFound,
  },
  {
    ...primary,
    what: 'the name that the others lead to',
    given: mapped,
    json: { domain: '{domain}' },
    ...{ status: 200, body: { success: true } },
  },
  {
    ...primary,
    what: 'none',
    json: { domain: null },
    ...{ status: 200, body: { success: true } },
  },
  {
    ...primary,
    what: 'a name that leads elsewhere',
    given: (scene) => scene.claim('alice', 'alices-name'),
    json: { domain: '{domain}' },
    status: 400,
    body: failed('domain: this one does not show the site; choose the site for it first'),
  },
  {
    ...primary,
    what: 'a domain that is not verified',
    given: async (scene) => {
      await scene.add('alice', 'alice-example.com')
      const path = `/api/domain/custom/${scene.facts['id']}/map-site`
      await scene.do('alice', 'POST', path, { siteRkey: 'blog' })
    },
    json: { domain: 'alice-example.com' },
    status: 400,
    body: failed('domain: this one is not verified, so visitors cannot be sent to it'),
  },
  {
    ...primary,
    what: 'a name that is not there',
    json: { domain: 'nobodys.{base}' },
    ...{ status: 404, body: failed('Domain not found') },
  },
  {
    ...primary,
    what: 'a site that is not there',
    path: '/api/site/nowhere/primary',
    json: { domain: null },
    ...siteNotFound,
  },
  {
    ...primary,
    what: 'a body that does not say which',
    json: {},
    ...{ status: 400, body: { success: false, error: like('domain: .+') } },
  },
]
