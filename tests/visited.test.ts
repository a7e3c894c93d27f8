import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { rawRequest } from '#tests/support/visitors/raw-http.ts'
import { createAccount, type PdsAccount, putRecord, uploadBlob } from './support/accounts.ts'
import { eventually } from './support/eventually.ts'
import { startWorld, type World } from './support/world.ts'

// Sites of accounts that have never been here, visited by their address.

let owners = 0

async function newOwner(world: World, page: string): Promise<PdsAccount> {
  const account = await createAccount(world.network.pds, `stranger-${++owners}.test`)
  const blob = await uploadBlob(account, page)
  const node = { type: 'file', blob, mimeType: 'text/html' }
  await putRecord(account, 'place.sitehost.fs', 'blog', {
    $type: 'place.sitehost.fs',
    site: 'blog',
    root: { type: 'directory', entries: [{ name: 'index.html', node }] },
    createdAt: new Date().toISOString(),
  })
  return account
}

async function visit(world: World, host: string, path: string, client = '192.0.2.1') {
  const port = Number(new URL(world.app).port)
  const { status, headers, body } = await rawRequest(
    port,
    `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nX-Forwarded-For: ${client}\r\nConnection: close\r\n\r\n`,
  )
  return { status, location: headers['location'] ?? '', body: body.toString() }
}

/** Follows the address of the stranger's site to what it shows. */
async function shown(world: World, owner: string, client?: string): Promise<string> {
  const { status, location } = await visit(world, 'sites.localhost', `/${owner}/blog/`, client)
  expect(status).toBe(302)
  return await eventually(async () => {
    const answer = await visit(world, new URL(location).host, '/', client)
    expect(answer.status).toBe(200)
    return answer.body
  })
}

const addressed = async (world: World, owner: string, client?: string) =>
  (await visit(world, 'sites.localhost', `/${owner}/blog/`, client)).status

describe('INGEST=visited', () => {
  let world: World
  beforeAll(async () => {
    world = await startWorld({ environment: { INGEST: 'visited' } })
  }, 120_000)
  afterAll(() => world[Symbol.asyncDispose]())

  test('by DID and by handle, the site is there a moment later, and is followed from then on', async () => {
    const [one, two] = [await newOwner(world, 'one'), await newOwner(world, 'two')]
    expect(await shown(world, one.did)).toBe('one')
    expect(await shown(world, two.handle)).toBe('two')
    const node = { type: 'file', blob: await uploadBlob(one, 'changed'), mimeType: 'text/html' }
    await putRecord(one, 'place.sitehost.fs', 'blog', {
      $type: 'place.sitehost.fs',
      site: 'blog',
      root: { type: 'directory', entries: [{ name: 'index.html', node }] },
      createdAt: new Date().toISOString(),
    })
    await eventually(async () => expect(await shown(world, one.did)).toBe('changed'))
  }, 120_000)

  test('who has no sites, or is not there, is nobody', async () => {
    const nobody = await createAccount(world.network.pds, 'empty-handed.test')
    expect(await addressed(world, nobody.did, '192.0.2.2')).toBe(404)
    expect(await addressed(world, 'not-a-soul.test', '192.0.2.2')).toBe(404)
  }, 120_000)

  test('a client brings ten new accounts an hour, others are not kept from it', async () => {
    const strangers = Array.from({ length: 11 }, (_, n) => `made-up-${n}.test`)
    const statuses: number[] = []
    for (const stranger of strangers) {
      statuses.push(await addressed(world, stranger, '192.0.2.3'))
    }
    expect(statuses).toEqual([...Array<number>(10).fill(404), 429])
    const owner = await newOwner(world, 'late')
    expect(await addressed(world, owner.did, '192.0.2.3')).toBe(429)
    expect(await shown(world, owner.did, '192.0.2.4')).toBe('late')
    // It is known now, and costs nobody anything.
    expect(await shown(world, owner.did, '192.0.2.3')).toBe('late')
  }, 120_000)
})

describe('what is brought here has an end', () => {
  let world: World
  beforeEach(async () => {
    world = await startWorld({ environment: { INGEST: 'visited', VISITED_BYTES_MAX: '1000' } })
  }, 120_000)
  afterEach(() => world[Symbol.asyncDispose]())

  test('VISITED_BYTES_MAX is not exceeded, and with INGEST=known nobody stays but who has signed in', async () => {
    const [small, large] = [
      await newOwner(world, 's'.repeat(600)),
      await newOwner(world, 'l'.repeat(600)),
    ]
    expect(await shown(world, small.did)).toHaveLength(600)
    const { location } = await visit(world, 'sites.localhost', `/${large.did}/blog/`)
    const there = new URL(location).host
    expect((await visit(world, there, '/')).status).toBe(503)

    const signedIn = await world.signedIn('alice.test')
    await signedIn.publish('blog', [{ path: 'index.html', body: new Blob(['a'.repeat(5_000)]) }])
    await world.restart({ INGEST: 'known' })
    await eventually(async () => expect(await addressed(world, small.did)).toBe(404))
    expect(await shown(world, 'alice.test')).toHaveLength(5_000)
  }, 120_000)
})

test('with INGEST=known a stranger’s address is 404, and no request leaves (H42)', async () => {
  let asked = 0
  using servers = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch() {
      asked += 1
      return new Response(null, { status: 404 })
    },
  })
  const url = servers.url.origin
  await using world = await startWorld({ environment: { PLC_URL: url, HANDLE_RESOLVER_URL: url } })
  for (const owner of [
    'did:plc:cccccccccccccccccccccccc',
    'did:web:stranger.example',
    'stranger.test',
  ]) {
    expect(await addressed(world, owner)).toBe(404)
  }
  expect(asked).toBe(0)
  // The counting is true: a sign-in asks.
  await world.client().fetch('/api/auth/signin', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ handle: 'stranger.test' }),
  })
  expect(asked).toBeGreaterThan(0)
}, 120_000)
