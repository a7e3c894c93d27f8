import { afterAll, beforeAll, expect, spyOn, test } from 'bun:test'
import { missMs } from '#concurrency/loading-tier.ts'
import { OwnPages } from '#edge/pages.ts'
import { forgetChanged } from '#edge/site-cache.ts'
import { parseAnySiteName } from '#site/site-name.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { type Database, openDatabase } from '#store/database/database.ts'
import { putTakedown } from '#store/moderation/takedowns.ts'
import { enqueueSites } from '#store/queues/enqueue.ts'
import { recordingLog } from '#tests/support/api.ts'
import { memoryDatabase } from '#tests/support/database/databases.ts'
import { accountOf, alice, bob, nameOf } from '#tests/support/database/sample-rows.ts'
import { askedAt } from '#tests/support/database/work-rows.ts'
import { goLive, snapshotOf } from '#tests/support/visitors/served-site.ts'
import { redirectToSite } from './address-redirect.ts'
import { Addresses } from './addresses.ts'
import type { Discovery, Owner } from './discover-owner.ts'

let database: Database
beforeAll(async () => {
  database = await memoryDatabase()
  await upsertAccount(database.db, { did: bob, handle: 'moved.test' }, 1)
  await upsertAccount(database.db, { did: alice, handle: 'alice.test' }, 1)
  await upsertAccount(database.db, { did: alice, handle: 'moved.test' }, 2)
  await upsertAccount(database.db, { did: bob, handle: 'bob.test' }, 3)
})
afterAll(() => database[Symbol.asyncDispose]())

const redirect = (
  path: string,
  db = database.db,
  discover?: (owner: Owner) => Promise<Discovery>,
  known?: Addresses,
) =>
  redirectToSite(new Request(`http://sites.localhost${path}`), {
    addresses: known ?? new Addresses({ db, elapsed: () => 0 }),
    clientOf: () => 'client',
    db,
    ...(discover && { discover }),
    log: recordingLog(),
    pages: new OwnPages(null),
    siteUrl: ({ did, name }) => `http://${name}.${did === alice ? 'alice' : 'bob'}/`,
  })

test.each([
  [`/${alice}/blog`, 'http://blog.alice/'],
  [`/${alice}/blog/`, 'http://blog.alice/'],
  [`/${alice}/blog/a/b%20c/?q=1&r=%2F`, 'http://blog.alice/a/b%20c/?q=1&r=%2F'],
  [`/${encodeURIComponent(bob)}/blog/x`, 'http://blog.bob/x'],
  ['/moved.test/blog/x', 'http://blog.alice/x'],
  ['/BOB.test/blog?x', 'http://blog.bob/?x'],
  [`/${alice}/blog//evil.example/`, 'http://blog.alice//evil.example/'],
])('%s leads to %s', async (path, location) => {
  const answer = await redirect(path)
  expect([answer.status, answer.headers.get('location')]).toEqual([302, location])
})

test('an address leads to the site of our network, if there is one, and else to a foreign one', async () => {
  const { db } = database
  const foreign = parseAnySiteName('place.wisp.fs/both')
  const alone = parseAnySiteName('place.wisp.fs/alone')
  const queued = parseAnySiteName('place.wisp.fs/queued')
  if (foreign === null || alone === null || queued === null) throw new Error('no names')
  for (const name of [nameOf('both'), foreign, alone]) {
    await goLive(db, snapshotOf({}, { did: bob, name }))
  }
  await enqueueSites(askedAt(db, 1), [{ did: bob, name: queued }])
  const at = async (name: string) => (await redirect(`/bob.test/${name}/x`)).headers.get('location')
  expect(await at('both')).toBe('http://both.bob/x')
  expect(await at('alone')).toBe('http://place.wisp.fs/alone.bob/x')
  expect(await at('queued')).toBe('http://place.wisp.fs/queued.bob/x')
  expect(await at('place.wisp.fs%2Falone')).toBeNull()
})

test.each([
  ['/', 404],
  ['/alice.test', 400],
  ['/alice.test/', 400],
  ['/alice.test/..%2fx', 400],
  ['/%ff/blog', 400],
  ['/nobody.test/blog', 404],
  ['/did:web:/blog', 404],
  ['/a%00b/blog', 404],
  ['/did:plc:cccccccccccccccccccccccc/blog', 404],
])('%s leads nowhere: %d', async (path, status) => {
  const answer = await redirect(path)
  expect([answer.status, answer.headers.get('location')]).toEqual([status, null])
})

test('without a database it is to be tried again', async () => {
  const closed = openDatabase({})
  await closed[Symbol.asyncDispose]()
  expect((await redirect('/nobody.test/blog', closed.db)).status).toBe(503)
})

test.each([
  ['known', 302],
  ['not-found', 404],
  ['pending', 503],
  ['too-many', 429],
] as const)('whoever is not known may be met: %s', async (kind, status) => {
  const asked: Owner[] = []
  const discover = async (owner: Owner): Promise<Discovery> => {
    asked.push(owner)
    return kind === 'known' ? { kind, did: bob } : { kind }
  }
  const answer = await redirect('/Nobody.test/blog/x', database.db, discover)
  expect(answer.status).toBe(status)
  expect(answer.headers.get('location')).toBe(kind === 'known' ? 'http://blog.bob/x' : null)
  expect(answer.headers.has('retry-after')).toBe(status === 503 || status === 429)
  await redirect('/bob.test/blog', database.db, discover)
  expect(asked).toEqual([{ handle: 'nobody.test' }])
})

test('an address of a site that is taken down: 451, or as of a site that does not exist', async () => {
  const takedown = { did: alice, reason: 'r', actor: 'ruth', at: 1 }
  const carol = accountOf(3)
  await putTakedown(database.db, { ...takedown, site: nameOf('gone'), status: 451 })
  await putTakedown(database.db, { ...takedown, site: nameOf('hidden'), status: 404 })
  await putTakedown(database.db, { ...takedown, did: carol, site: '', status: 451 })
  await upsertAccount(database.db, { did: carol, handle: 'carol.test' }, 3)
  expect((await redirect('/carol.test/any')).status).toBe(451)
  expect((await redirect('/moved.test/gone/x')).status).toBe(451)

  const answered = async (path: string) => {
    const answer = await redirect(path)
    return [answer.status, [...answer.headers], await answer.text()]
  }
  const ofNoSite = await answered('/moved.test/none/x')
  const asHidden = JSON.parse(JSON.stringify(ofNoSite).replace('none', 'hidden'))
  expect(await answered('/moved.test/hidden/x')).toEqual(asHidden)
})

test('an address that is visited again costs no query for a second, and a change of a site is seen at once', async () => {
  const closed = openDatabase({})
  await closed[Symbol.asyncDispose]()
  let elapsed = 0
  const known = new Addresses({ db: database.db, elapsed: () => elapsed })
  const visited = async (path = '/MOVED.test/blog/x') =>
    (await redirect(path, closed.db, undefined, known)).status
  expect(await visited('/moved.test/blog')).toBe(302)
  const load = spyOn(database.db, 'selectFrom')
  try {
    elapsed = missMs - 1
    expect(await visited()).toBe(302)
    expect(load).not.toHaveBeenCalled()
    elapsed = missMs
    expect(await visited()).toBe(302)
  } finally {
    load.mockRestore()
  }
  const takedown = { did: alice, reason: 'r', actor: 'ruth', at: 1, status: 451 } as const
  await putTakedown(database.db, { ...takedown, site: nameOf('blog') })
  const ignore = (): void => undefined
  const none = { forget: ignore, forgetAll: ignore, replace: ignore }
  const caches = { gone: none, hosts: none, previews: none, snapshots: none, takedowns: none }
  const follower = forgetChanged({ ...caches, addresses: known })
  follower.follow([{ kind: 'site', label: 's--1', seq: 1, createdAt: 1 }])
  expect(await visited()).toBe(451)
})
