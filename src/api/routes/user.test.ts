import { beforeEach, describe, expect, test } from 'bun:test'
import { sentences } from '#api/contract/messages.ts'
import { IdentityError } from '#atproto/identity/identity.ts'
import { SyncsBusyError } from '#ingest/account-syncs.ts'
import type { AccountSync } from '#ingest/sync-account.ts'
import { ServerUnreachableError } from '#outbound/server-errors.ts'
import { noDiskSpace } from '#site/limits.ts'
import type { SiteName } from '#site/site-name.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { putLimitOverrides } from '#store/moderation/account-limits.ts'
import { countUpload } from '#store/queues/begun-uploads.ts'
import { enqueueSites } from '#store/queues/enqueue.ts'
import { takeDue } from '#store/queues/take-due.ts'
import { retryItem, type WorkItem } from '#store/queues/work-items.ts'
import { recordVersion } from '#store/sites/record-version.ts'
import { addTraffic } from '#store/sites/traffic.ts'
import { testApi } from '#tests/support/api.ts'
import { alice, bob, nameOf, newVersion, siteOf } from '#tests/support/database/sample-rows.ts'
import { askedAt } from '#tests/support/database/work-rows.ts'

const api = testApi()
beforeEach(async () => {
  for (const did of [alice, bob]) await upsertAccount(api().db, { did }, 0)
})

async function answer(path: string, did = alice): Promise<unknown> {
  const headers = { cookie: await api().signedIn(did) }
  const response = await api().request(path, { headers })
  expect(response.status).toBe(200)
  return await response.json()
}

test('an account without anything', async () => {
  expect(await answer('/api/user/status')).toEqual({
    did: alice,
    hasSites: false,
    hasDomain: false,
    domain: null,
    sitesCount: 0,
  })
  expect(await answer('/api/user/sites')).toEqual({ sites: [] })
})

test('what an account uses of what it may', async () => {
  const { db } = api()
  await recordVersion(db, newVersion(), 0)
  await recordVersion(db, newVersion({ site: siteOf('hers', bob), label: 's--hers' }), 0)
  const usage = async () => (await answer('/api/user/usage')) as Record<string, unknown>
  const { bytes } =
    ((await answer('/api/user/sites')) as { sites: { bytes: number }[] }).sites[0] ?? {}
  expect(await usage()).toMatchObject({
    pds: null,
    sites: { used: 1, max: 1000 },
    bytes: { used: bytes },
    uploads: { used: 0 },
  })
  await putLimitOverrides(db, alice, { sitesMax: 3, bytesMax: 5000, uploadsPerDayMax: 7 })
  await countUpload(db, alice, { limits: {}, now: api().now })
  await upsertAccount(db, { did: alice, pds: 'https://pds.example' }, 1)
  expect(await usage()).toEqual({
    pds: 'https://pds.example',
    sites: { used: 1, max: 3 },
    bytes: { used: bytes, max: 5000 },
    uploads: { used: 1, max: 7 },
    today: { requests: 0, refused: 0, bytes: { used: 0, max: 4000 }, warning: null },
  })
})

test('what visitors took of a site today, and how near its limit or the account’s is', async () => {
  const { db } = api()
  const sites = ['blog', 'shop'] as const
  for (const name of sites) {
    await recordVersion(db, newVersion({ site: siteOf(name), label: `s--${name}` }), 0)
  }
  const day = Math.floor(api().now / (24 * 60 * 60 * 1000))
  const take = async (site: SiteName | '', bytes: number, refused = 0, on = day) =>
    void (await addTraffic(db, on, [{ did: alice, site, requests: 1, bytes, refused }]))
  const today = async () => {
    const { sites } = (await answer('/api/user/sites')) as {
      sites: { rkey: string; today: unknown }[]
    }
    return Object.fromEntries(sites.map(({ rkey, today }) => [rkey, today]))
  }
  await take(nameOf('blog'), 750, 2)
  await take(nameOf('blog'), 9000, 9, day - 1)
  await take('', 750, 2)
  const blog = { requests: 1, refused: 2, bytes: { used: 750, max: 1000 }, warning: 75 }
  const shop = { requests: 0, refused: 0, bytes: { used: 0, max: 1000 }, warning: null }
  expect(await today()).toEqual({ blog, shop })
  await take('', 3250)
  const full = { warning: 100 }
  expect(await today()).toEqual({ blog: { ...blog, ...full }, shop: { ...shop, ...full } })
  expect(((await answer('/api/user/usage')) as { today: unknown }).today).toEqual({
    ...{ requests: 2, refused: 2, bytes: { used: 4000, max: 4000 }, warning: 100 },
  })
})

test('the handle, or the network’s word for none', async () => {
  expect(await answer('/api/user/info')).toEqual({ did: alice, handle: 'handle.invalid' })
  await upsertAccount(api().db, { did: alice, handle: 'alice.test' }, 1)
  expect(await answer('/api/user/info')).toEqual({ did: alice, handle: 'alice.test' })
  await upsertAccount(api().db, { did: alice, handle: null }, 2)
  expect(await answer('/api/user/info')).toEqual({ did: alice, handle: 'handle.invalid' })
})

test('four lists of an account’s sites are made at once; another account’s beside them', async () => {
  const headers = { cookie: await api().signedIn(alice) }
  const others = { cookie: await api().signedIn(bob) }
  const asked = ['/api/user/sites', '/api/user/status'].flatMap((path) => Array(10).fill(path))
  const answers = await Promise.all([
    ...asked.map((path) => api().request(path, { headers })),
    api().request('/api/user/sites', { headers: others }),
  ])
  expect(answers.pop()?.status).toBe(200)
  const refused = answers.filter(({ status }) => status === 429)
  expect(refused.length).toBeWithin(1, asked.length - 4 + 1)
  expect(await refused[0]?.json()).toEqual({ error: sentences.listsBusy })
  expect(await answer('/api/user/sites')).toEqual({ sites: [] })
})

test('a list tells the first ten problems of a site, and how many more there are', async () => {
  const problems = Array.from({ length: 13 }, (_, n) => `problem ${n}`)
  const listed = async (count: number, rev: string) => {
    const version = newVersion({ problems: problems.slice(0, count), rev })
    await recordVersion(api().db, version, 0)
    const { sites } = (await answer('/api/user/sites')) as { sites: { problems: string[] }[] }
    return sites[0]?.problems
  }
  expect(await listed(10, '3kaaaaaaaaab2')).toEqual(problems.slice(0, 10))
  expect(await listed(13, '3kaaaaaaaaac2')).toEqual([...problems.slice(0, 10), 'And 3 more.'])
})

test('a live site', async () => {
  await recordVersion(api().db, newVersion({ problems: ['mend this'] }), 0)
  expect(await answer('/api/user/status')).toMatchObject({ hasSites: true, sitesCount: 1 })
  expect(await answer('/api/user/sites')).toEqual({
    sites: [
      {
        rkey: 'blog',
        displayName: 'blog',
        uri: `at://${alice}/place.sitehost.fs/blog`,
        cid: 'cid-1',
        fileCount: 2,
        bytes: 1000,
        url: 'http://blog.test/',
        domains: [],
        primary: null,
        createdAt: '1970-01-01T00:00:00.000Z',
        updatedAt: '1970-01-01T00:00:00.000Z',
        publishedAt: '1970-01-01T00:00:00.001Z',
        verifiedAt: '1970-01-01T00:00:00.000Z',
        state: 'live',
        today: { requests: 0, refused: 0, bytes: { used: 0, max: 1000 }, warning: null },
        problems: ['mend this'],
      },
    ],
  })
})

test('a site of which nothing was ever good enough says why', async () => {
  await recordVersion(api().db, newVersion({ snapshot: null, problems: ['too deep'] }), 0)
  const { sites } = (await answer('/api/user/sites')) as { sites: unknown[] }
  expect(sites).toMatchObject([
    {
      ...{ rkey: 'blog', cid: null, fileCount: 0, bytes: 0, publishedAt: null, verifiedAt: null },
      ...{ state: 'refused', problems: ['too deep'] },
    },
  ])
})

test('a site whose newest version cannot be read says so, and what comes next', async () => {
  const { db } = api()
  await recordVersion(db, newVersion(), 0)
  const listed = async () =>
    ((await answer('/api/user/sites')) as { sites: { problems: string[]; state: string }[] })
      .sites[0]
  const problems = async () => (await listed())?.problems
  const fail = async (at: number | null, error = 'internal') => {
    await enqueueSites(askedAt(db, 1), [siteOf('blog')])
    const [item] = await takeDue(db, { kind: 'site', now: 1, leaseMs: 1, limit: 1 })
    await retryItem(db, item as WorkItem, { at, error })
  }
  const unread = 'Your account’s server did not send all of the newest version.'
  await fail(60_000)
  expect((await listed())?.state).toBe('unread')
  expect(await problems()).toEqual([`${unread} We will try again at 1970-01-01T00:01:00.000Z.`])
  await fail(null)
  expect(await problems()).toEqual([expect.stringContaining('We stopped trying.')])
  await fail(60_000, noDiskSpace)
  expect(await problems()).toEqual([
    `${noDiskSpace} We will try again at 1970-01-01T00:01:00.000Z.`,
  ])
})

test('each account sees its own only', async () => {
  await recordVersion(api().db, newVersion(), 0)
  await recordVersion(api().db, newVersion({ site: siteOf('hers', bob), label: 's--hers' }), 0)
  const namesOf = async (did: typeof alice) =>
    ((await answer('/api/user/sites', did)) as { sites: { rkey: string }[] }).sites.map(
      ({ rkey }) => rkey,
    )
  expect([await namesOf(alice), await namesOf(bob)]).toEqual([['blog'], ['hers']])
})

describe('POST /sync', () => {
  const sync = async (found: AccountSync | Error) => {
    api().network.sync = async () => {
      if (found instanceof Error) throw found
      return found
    }
    const headers = { cookie: await api().signedIn(alice) }
    const response = await api().request('/api/user/sync', { method: 'POST', headers })
    return { status: response.status, body: await response.json() }
  }

  test('tells what is up to date, and what is not', async () => {
    expect(await sync({ status: 'active', synced: 2, errors: [] })).toEqual({
      status: 200,
      body: { success: true, synced: 2, errors: [] },
    })
    const errors = [{ rkey: siteOf('blog').name, error: 'This version is refused: no' }]
    expect(await sync({ status: 'active', synced: 0, errors })).toEqual({
      status: 200,
      body: { success: false, synced: 0, errors: [{ ...errors[0] }] },
    })
  })

  const failures: [string, Error | AccountSync, number][] = [
    ['an account that is not active', { status: 'deactivated', synced: 0, errors: [] }, 409],
    ['a server that does not answer', new ServerUnreachableError('listRecords'), 502],
    ['an account that cannot be resolved', new IdentityError(alice, 'no document'), 502],
    ['too many at once', new SyncsBusyError(), 429],
  ]
  test.each(failures)('%s', async (_, found, status) => {
    expect(await sync(found)).toEqual({ status, body: { error: expect.any(String) } })
  })

  test('signed out', async () => {
    const response = await api().request('/api/user/sync', { method: 'POST' })
    expect(response.status).toBe(401)
  })
})
