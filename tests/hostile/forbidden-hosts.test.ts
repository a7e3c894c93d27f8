import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { Identities, IdentityError } from '#atproto/identity/identity.ts'
import { ForbiddenHostError } from '#outbound/public-address.ts'
import { createResolveHost } from '#outbound/resolve-host.ts'
import { createSafeFetch, type SafeFetch } from '#outbound/safe-fetch.ts'
import { alice, bob } from '#tests/support/database/sample-rows.ts'
import { startDnsServer } from '#tests/support/servers/dns-server.ts'

// What leads to a host that is none of the users' business is refused before anything connects. Every
// connection that would be made is led to a listener that counts; the last line of each test is its count.

let connections = 0
const listener = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch(request) {
    connections += 1
    const to = new URL(request.url).searchParams.get('redirect')
    return to === null
      ? new Response('hello')
      : new Response('', { status: 302, headers: { location: to } })
  },
})
afterAll(() => listener.stop(true))

let looked: string[]
let connected: string[]
beforeEach(() => {
  connections = 0
  looked = []
  connected = []
})

const anywhere = ['93.184.216.34']

/** The way out, on which every name has these addresses, those of the next question if there are several. */
function wayOut(...answers: string[][]): SafeFetch {
  return createSafeFetch({
    async resolve(hostname) {
      looked.push(hostname)
      return answers[looked.length - 1] ?? answers.at(-1) ?? anywhere
    },
    async connect(request, init) {
      connected.push(new URL(request.url).hostname)
      const url = new URL(request.url)
      url.protocol = 'http:'
      url.host = `127.0.0.1:${listener.port}`
      const { tls: _, ...rest } = init
      return await fetch(new Request(url, request), rest)
    },
  })
}

const refused = async (fetching: Promise<unknown>): Promise<void> =>
  await expect(fetching).rejects.toBeInstanceOf(ForbiddenHostError)

test('a public host is connected to, so that the count can be other than nothing', async () => {
  expect(await (await wayOut()('https://pds.example/')).text()).toBe('hello')
  expect(connected).toEqual(anywhere)
  expect(connections).toBe(1)
})

const privateHosts = [
  '127.0.0.1',
  '2130706433',
  '0x7f.1',
  '0177.0.0.1',
  '127.1',
  '[::1]',
  '[::ffff:7f00:1]',
  '[::ffff:127.0.0.1]',
  '[::7f00:1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  '[fe80::1]',
  '[fd00::1]',
  '169.254.169.254',
  '100.64.0.1',
  '10.0.0.1',
  '192.168.1.1',
  '172.16.0.1',
  '0',
  '0.0.0.0',
  '255.255.255.255',
  '224.0.0.1',
  'localhost',
  'localhost.',
  'LOCALHOST',
  'a.localhost',
  '127.0.0.1.',
  '１２７.０.０.１',
]

describe('H27 an account’s server that is no public host', () => {
  test.each(privateHosts)('%s', async (host) => {
    const identities = new Identities({
      fetch: async () => Response.json(documentOf(alice, `https://${host}`)),
      plcUrl: 'https://plc.example',
    })
    const safeFetch = wayOut()
    await refused(
      (async () => {
        const { pds } = await identities.resolve(alice)
        return await safeFetch(new URL('/xrpc/com.atproto.sync.getBlob', pds))
      })(),
    )
    expect(looked).toEqual([])
    expect(connections).toBe(0)
  })
})

describe('an address that is none of the way out', () => {
  test.each([
    'http://pds.example/',
    'https://pds.example:8443/',
    'https://user:secret@pds.example/',
    'ftp://pds.example/',
    'file:///etc/passwd',
    'data:text/plain,hello',
    'ws://pds.example/',
  ])('%s', async (url) => {
    await refused(wayOut()(url))
    expect(looked).toEqual([])
    expect(connections).toBe(0)
  })
})

describe('H28 a name', () => {
  const privately = ['10.0.0.1']
  test('that is public at first and private later is asked for once a request, and connected to as it was', async () => {
    const safeFetch = wayOut(anywhere, privately)
    expect(await (await safeFetch('https://rebound.example/')).text()).toBe('hello')
    expect(looked).toEqual(['rebound.example'])
    expect(connected).toEqual(anywhere)
    await refused(safeFetch('https://rebound.example/'))
    expect(connections).toBe(1)
  })
  test('that a name server changes after its first answer, which is the one that counts', async () => {
    await using dns = await startDnsServer({ 'rebound.example': { a: anywhere } })
    const resolve = createResolveHost({ servers: [dns.address] })
    const told: string[] = []
    const safeFetch = createSafeFetch({
      async resolve(hostname, signal) {
        const addresses = await resolve(hostname, signal)
        dns.names.set('rebound.example', { a: privately })
        return addresses
      },
      async connect({ url }) {
        told.push(url)
        return new Response('hello')
      },
    })
    expect((await safeFetch('https://rebound.example/')).status).toBe(200)
    await refused(safeFetch('https://rebound.example/'))
    expect(told).toEqual(['https://93.184.216.34/'])
  })
  test.each([
    [['93.184.216.34', '10.0.0.1']],
    [['10.0.0.1', '93.184.216.34']],
    [['93.184.216.34', '::1']],
    [['93.184.216.34', '::ffff:127.0.0.1']],
    [['127.0.0.1']],
    [[]],
  ])('with the addresses %p', async (addresses) => {
    await refused(wayOut(addresses)('https://mixed.example/'))
    expect(connections).toBe(0)
  })
  test('that leads to a private one by redirect, also at the second hop', async () => {
    const second = 'https://b.example/?redirect=https://127.0.0.1/'
    const first = `https://a.example/?redirect=${encodeURIComponent(second)}`
    await refused(wayOut()(first, { redirect: 'follow' }))
    expect(connections).toBe(2)
  })
  test('that is private by the time of the redirect', async () => {
    const url = 'https://a.example/?redirect=https://a.example/'
    await refused(wayOut(anywhere, privately)(url, { redirect: 'follow' }))
    expect(connections).toBe(1)
  })
})

describe('H28 a redirect', () => {
  const follow = (to: string) =>
    wayOut()(`https://pds.example/?redirect=${encodeURIComponent(to)}`, { redirect: 'follow' })

  test.each([
    // A header's value is ASCII.
    ...privateHosts.filter((host) => /^[!-~]+$/.test(host)).map((host) => `https://${host}/`),
    '//169.254.169.254/latest/meta-data',
    'http://pds.example/',
    'https://pds.example:22/',
    'https://user@pds.example/',
    'ftp://pds.example/',
    'file:///etc/passwd',
    'data:text/plain,hello',
  ])('to %s', async (to) => {
    await refused(follow(to))
    expect(connections).toBe(1)
  })
  test('to what is no address', async () => {
    await expect(follow('https://%')).rejects.toThrow()
    expect(connections).toBe(1)
  })
  test('of what has a body is not followed', async () => {
    const url = 'https://pds.example/?redirect=https://other.example/'
    const response = await wayOut()(url, { redirect: 'follow', method: 'POST', body: 'secret' })
    expect(response.status).toBe(302)
    expect(connections).toBe(1)
  })
})

describe('in development too, only http and https', () => {
  test.each([
    'file:///etc/passwd',
    'data:text/plain,hello',
    'ftp://localhost/',
    'http://a:b@localhost/',
  ])('%s', async (url) => await refused(createSafeFetch({ allowPrivate: true })(url)))
})

describe('H29 an identity', () => {
  const unresolved = async (did: string, fetch: SafeFetch): Promise<void> =>
    await expect(
      new Identities({ fetch, plcUrl: 'https://plc.example' }).resolve(did as typeof alice),
    ).rejects.toBeInstanceOf(IdentityError)

  test.each([
    'did:web:localhost%3A6379',
    'did:web:localhost',
    'did:web:10.0.0.1',
    'did:web:127.1',
    'did:web:0x7f.1',
    'did:web:[::1]',
    'did:web:h:path',
    'did:web:host.example:path',
    'did:web:host.example%2Fpath',
    'did:web:user@host.example',
  ])('of the form %s: nobody is asked', async (did) => {
    await unresolved(did, wayOut())
    expect(looked).toEqual([])
    expect(connections).toBe(0)
  })

  test.each(['did:web:a.localhost', 'did:web:rebound.example'])(
    'at a name of a private host: %s',
    async (did) => {
      await unresolved(did, wayOut(['127.0.0.1']))
      expect(connections).toBe(0)
    },
  )

  test.each([
    ['the document of another account', documentOf(bob, 'https://pds.example')],
    ['a server with a path', documentOf(alice, 'https://pds.example/path')],
    ['a server with a query', documentOf(alice, 'https://pds.example?x')],
    ['a server with credentials', documentOf(alice, 'https://user:secret@pds.example')],
    ['a server with a port', documentOf(alice, 'https://pds.example:8443')],
    ['a server without TLS', documentOf(alice, 'http://pds.example')],
    ['a server that is a file', documentOf(alice, 'file:///etc/passwd')],
  ])('%s', async (_, document) => {
    await unresolved(alice, async () => Response.json(document))
    expect(connections).toBe(0)
  })
})

function documentOf(did: string, serviceEndpoint: string) {
  const publicKeyMultibase = 'zDnaembgSGUhZULN2Caob4HLJPaxBh92N7rtH21TErzqf8HQo'
  return {
    id: did,
    alsoKnownAs: [],
    verificationMethod: [
      { id: `${did}#atproto`, type: 'Multikey', controller: did, publicKeyMultibase },
    ],
    service: [{ id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint }],
  }
}
