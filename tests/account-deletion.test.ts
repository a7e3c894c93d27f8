import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { devSettings } from '#main/commands/dev-network.ts'
import type { FailPoint } from '#publish/fail-points.ts'
import { openDatabase } from '#store/database/database.ts'
import { type OwnDatabase, onEachDatabase } from '#tests/support/database/databases.ts'
import { tablesNaming } from '#tests/support/database/named-in.ts'
import { startServiceProcess } from '#tests/support/processes/service-process.ts'
import { type DnsServer, startDnsServer } from '#tests/support/servers/dns-server.ts'
import { pageUrl, visit, writeSite } from '#tests/support/visitors/plain-sites.ts'
import { rawRequest } from '#tests/support/visitors/raw-http.ts'
import { AppClient } from '../devnet/app-client.ts'
import { createSession, listRecords } from './support/accounts.ts'
import { eventually } from './support/eventually.ts'
import { startWorld, type World } from './support/world.ts'

// Account deletion, on real servers: what is left of it here, there, and for visitors.

/** The operator's log keeps its lines: `docs/operating.md`, "Account deletion". */
const outsideLog = (tables: readonly string[]): string[] =>
  tables.filter((table) => table !== 'log_entries' && table !== 'error_entries')

const collections = ['fs', 'subfs', 'settings', 'version'].map((name) => `place.sitehost.${name}`)

await onEachDatabase('account deletion', (make, dialect) => {
  let dns: DnsServer
  let own: OwnDatabase
  let world: World
  beforeAll(async () => {
    dns = await startDnsServer({})
    own = await make()
    const { url } = own.options
    world = await startWorld({
      canFail: true,
      environment: { DNS_SERVERS: dns.address, ...(url !== undefined && { DATABASE_URL: url }) },
    })
  }, 300_000)
  afterAll(async () => {
    await world[Symbol.asyncDispose]()
    await own[Symbol.asyncDispose]()
    await dns[Symbol.asyncDispose]()
  })

  const options = () =>
    dialect === 'sqlite' ? { file: join(world.dataDir, 'sitehost.db') } : own.options
  const naming = async (text: string) => {
    await using database = openDatabase(options())
    return outsideLog(await tablesNaming(database.db, text))
  }
  const isGone = (did: string) => eventually(async () => expect(await naming(did)).toEqual([]))
  const visitHost = async (host: string) => {
    const request = `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
    return (await rawRequest(Number(new URL(world.app).port), request)).status
  }
  /** Tokens that the account's server has given out and still takes. */
  const tokensOf = (did: string) => {
    using accounts = new Database(join(world.networkDir, 'account.sqlite'), { readonly: true })
    return accounts.query('select 1 from token where did = ?').all(did).length
  }

  /** Somebody with two sites, a claimed name, a verified domain, settings, and news that are waiting. */
  async function settle(handle: string) {
    const client = await world.signedIn(handle)
    const { did } = (await get(client, '/api/auth/status')) as { did: string }
    for (const name of ['blog', 'shop']) {
      await client.publish(name, [{ path: 'index.html', body: new Blob([`${name} of ${handle}`]) }])
    }
    await send(client, 'POST', '/api/site/blog/settings', { cleanUrls: true })
    const label = handle.replace('.test', '-own')
    const domain = `${label}.localhost`
    await send(client, 'POST', '/api/domain/claim', { handle: label })
    await send(client, 'POST', '/api/domain/sitehost/map-site', { domain, siteRkey: 'blog' })
    const host = `www.${label}.com`
    const { id } = (await send(client, 'POST', '/api/domain/custom/add', { domain: host })).body
    dns.names.set(`_sitehost.${host}`, { txt: [did] })
    await send(client, 'POST', '/api/domain/custom/verify', { id })
    await send(client, 'POST', `/api/domain/custom/${id}/map-site`, { siteRkey: 'blog' })
    await eventually(async () => expect(await visitHost(domain)).toBe(200))
    await eventually(async () => expect(await visitHost(host)).toBe(200))
    return { client, did, domain, host, label }
  }
  const recordsOf = async (did: string) => {
    const { pds } = world.network
    const lists = await Promise.all(collections.map((each) => listRecords({ pds, did }, each)))
    return lists.map((list) => list.length)
  }

  test('everything here is gone, at once; what is the account’s own stays in its repository', async () => {
    const { client, did, domain, host, label } = await settle('alice.test')
    for (let browser = 2; browser <= 3; browser++) await world.signedIn('alice.test')
    expect(await naming(did)).toContain('sites')
    expect(tokensOf(did)).toBeGreaterThan(0)
    const exported = (await get(client, '/api/user/export')) as { sites: unknown[] }
    expect(exported.sites).toHaveLength(2)

    expect(await send(client, 'DELETE', '/api/user')).toMatchObject({
      status: 200,
      body: { success: true },
    })
    for (const site of ['blog', 'shop']) {
      const page = pageUrl(world.app, did, site)
      await eventually(async () => expect(await visit(page)).toBe(404))
    }
    for (const each of [domain, host]) {
      await eventually(async () => expect(await visitHost(each)).toBe(404))
    }
    expect(await get(client, '/api/auth/status')).toEqual({ authenticated: false })
    await isGone(did)
    expect(tokensOf(did)).toBe(0)
    expect(await readdir(join(world.dataDir, 'spool'))).toEqual([])
    expect(await recordsOf(did)).toEqual([2, 0, 1, 2])

    // Its name waits for it for a while; its domain is somebody else's to add.
    const bob = await world.signedIn('bob.test')
    expect(await send(bob, 'POST', '/api/domain/claim', { handle: label })).toMatchObject({
      status: 409,
    })
    expect(await send(bob, 'POST', '/api/domain/custom/add', { domain: host })).toMatchObject({
      body: { success: true },
    })
  }, 120_000)

  test('what it does in its repository afterwards does not bring it back', async () => {
    const { pds } = world.network
    const [alice, bob] = [
      await createSession(pds, 'alice.test', 'hunter2pass'),
      await createSession(pds, 'bob.test', 'hunter2pass'),
    ]
    await writeSite(alice, 'blog', { 'index.html': 'again' })
    // Of somebody who is known, behind it in the firehose.
    await writeSite(bob, 'after', { 'index.html': 'after' })
    const after = pageUrl(world.app, bob.did, 'after')
    await eventually(async () => expect(await visit(after)).toBe('after'))
    expect(await visit(pageUrl(world.app, alice.did, 'blog'))).toBe(404)
    expect(await naming(alice.did)).toEqual([])
  }, 120_000)

  test('whoever signs in again starts anew, with what is in the repository', async () => {
    const alice = await world.signedIn('alice.test')
    const { did } = (await get(alice, '/api/auth/status')) as { did: string }
    const page = pageUrl(world.app, did, 'shop')
    await eventually(async () => expect(await visit(page)).toBe('shop of alice.test'))
    expect(await get(alice, '/api/user/domains')).toEqual({
      sitehostDomains: [],
      customDomains: [],
    })
    // Of the first test.
    expect(await send(alice, 'POST', '/api/domain/claim', { handle: 'alice-own' })).toMatchObject({
      status: 200,
    })
  }, 120_000)

  test('with records: they go first, and when they cannot, everything stays', async () => {
    const { client, did, domain } = await settle('carol.test')
    world.network.setFaults({
      'com.atproto.repo.applyWrites': { status: 503 },
      'com.atproto.repo.deleteRecord': { status: 503 },
    })
    const failed = await send(client, 'DELETE', '/api/user', { records: true })
    expect(failed).toMatchObject({ status: 502, body: { error: expect.any(String) } })
    expect(await recordsOf(did)).toEqual([2, 0, 1, 2])
    expect(await visitHost(domain)).toBe(200)
    expect(await get(client, '/api/auth/status')).toMatchObject({ authenticated: true })

    world.network.setFaults({})
    expect(await send(client, 'DELETE', '/api/user', { records: true })).toMatchObject({
      status: 200,
    })
    expect(await recordsOf(did)).toEqual([0, 0, 0, 0])
    await eventually(async () => expect(await visitHost(domain)).toBe(404))
    await isGone(did)
  }, 120_000)
})

test('killed during an account deletion: all of it is done after the next start, or nothing was', async () => {
  await using world = await startWorld()
  const data = join(world.dataDir, '../killed')
  const start = (failPoint?: FailPoint) =>
    startServiceProcess(['serve', '--port', '0', '--data', data], {
      ...devSettings(world.network),
      LOG_LEVEL: 'error',
      ...(failPoint && { FAILPOINT: failPoint }),
    })
  const naming = async (did: string) => {
    await using database = openDatabase({ file: join(data, 'sitehost.db') })
    return outsideLog(await tablesNaming(database.db, did))
  }
  const deleteAndDie = async (point: FailPoint): Promise<string> => {
    await using service = await start(point)
    const client = new AppClient(service.ready.app)
    await client.signIn('alice.test', 'hunter2pass')
    await client.publish('blog', [{ path: 'index.html', body: new Blob(['blog']) }])
    const { did } = (await get(client, '/api/auth/status')) as { did: string }
    const deleting = client.fetch('/api/user', {
      method: 'DELETE',
      body: JSON.stringify({ records: true }),
    })
    await deleting.then(
      () => undefined,
      () => undefined,
    )
    expect(await service.exited).toBe(128 + 9)
    return did
  }

  // The records are gone, nothing else is: the person asks again.
  const did = await deleteAndDie('records-deleted')
  expect(await naming(did)).toContain('accounts')
  expect(await listRecords({ pds: world.network.pds, did }, 'place.sitehost.fs')).toEqual([])

  await deleteAndDie('account-deleted')
  expect(await naming(did)).toEqual(['account_deletions', 'sealed_rows'])
  await using service = await start()
  expect(service.ready.app).not.toBe('')
  await eventually(async () => expect(await naming(did)).toEqual([]))
}, 120_000)

async function get(client: AppClient, path: string): Promise<unknown> {
  return await (await client.fetch(path)).json()
}

async function send(client: AppClient, method: string, path: string, body?: object) {
  const answer = await client.fetch(path, {
    method,
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}
