import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type RawResponse, rawRequest } from '#tests/support/visitors/raw-http.ts'
import { eventually } from './support/eventually.ts'
import { startWorld, type World } from './support/world.ts'

// What a server in front of ours says of its visitors, believed or not, on real connections.

let world: World
let blog: string
let shop: string
beforeAll(async () => {
  world = await startWorld({ environment: { COUNTRY_HEADER: 'CF-IPCountry' } })
  const alice = await world.signedIn('alice.test')
  for (const name of ['blog', 'shop']) {
    await alice.publish(name, [
      { path: 'index.html', body: new Blob([name]) },
      { path: 'de.html', body: new Blob([`${name} auf Deutsch`]) },
      { path: '_redirects', body: new Blob(['/hello /de.html 200 Country=de,at']) },
    ])
  }
  const answer = await alice.fetch('/api/user/sites')
  const { sites } = (await answer.json()) as { sites: { rkey: string; url: string }[] }
  const hostOf = (name: string) =>
    new URL(sites.find(({ rkey }) => rkey === name)?.url ?? '').hostname
  blog = hostOf('blog')
  shop = hostOf('shop')
  await eventually(async () => expect((await visit('/', { host: shop })).status).toBe(200))
}, 120_000)
afterAll(() => world[Symbol.asyncDispose]())

function visit(path: string, headers: Record<string, string>): Promise<RawResponse> {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const head = [`GET ${path} HTTP/1.1`, ...lines, 'Connection: close']
  return rawRequest(Number(new URL(world.app).port), `${head.join('\r\n')}\r\n\r\n`)
}
const seen = async (path: string, headers: Record<string, string>) => {
  const { status, body, headers: sent } = await visit(path, headers)
  return [status, sent['location'] ?? body.toString()]
}

/** Both at a host whose front is this machine, and at one that trusts nobody. */
function facts(front: 'trusted' | 'untrusted'): void {
  const isTrusted = front === 'trusted'

  test('the host', async () => {
    const asked = { host: blog, 'x-forwarded-host': shop }
    for (let n = 0; n < 3; n++) {
      expect(await seen('/', { host: blog })).toEqual([200, 'blog'])
      expect(await seen('/', asked)).toEqual([200, isTrusted ? 'shop' : 'blog'])
    }
    expect(await seen('/', { host: 'origin.internal', 'x-forwarded-host': shop })).toMatchObject(
      isTrusted ? [200, 'shop'] : [404, expect.anything()],
    )
    const nonsense = { host: blog, 'x-forwarded-host': 'a b' }
    expect(await seen('/', nonsense)).toMatchObject([isTrusted ? 400 : 200, expect.anything()])
    const { body } = await visit('/healthz', { host: blog, 'x-forwarded-host': '127.0.0.1' })
    expect(body.toString() === 'ok').toBe(isTrusted)
  })

  test('the country', async () => {
    const said = { host: blog, 'cf-ipcountry': 'AT' }
    const hello = await visit('/hello', said)
    expect(hello.status).toBe(isTrusted ? 200 : 404)
    expect(hello.body.toString().includes('blog auf Deutsch')).toBe(isTrusted)
    expect((await visit('/hello', { ...said, 'cf-ipcountry': 'FR' })).status).toBe(404)
    expect((await visit('/hello', { host: blog })).status).toBe(404)
  })
}

describe('a front that is trusted says', () => facts('trusted'))

describe('one that is not says in vain', () => {
  beforeAll(() => world.restart({ TRUSTED_PROXIES: '192.0.2.1' }), 30_000)
  facts('untrusted')
})

describe('with HTTPS_REDIRECT', () => {
  const plain = () => ({ host: blog, 'x-forwarded-proto': 'http' })

  test('who came by http is sent to https', async () => {
    expect((await visit('/a?b=c', plain())).status).toBe(404)
    await world.restart({ HTTPS_REDIRECT: '1' })
    expect(await seen('/a?b=c', plain())).toEqual([308, `https://${blog}/a?b=c`])
    expect(await seen('/', { ...plain(), 'x-forwarded-proto': 'https' })).toEqual([200, 'blog'])
    expect(await seen('/', { host: blog })).toEqual([200, 'blog'])
  }, 120_000)

  test('unless a stranger says so', async () => {
    await world.restart({ HTTPS_REDIRECT: '1', TRUSTED_PROXIES: 'none' })
    expect(await seen('/', plain())).toEqual([200, 'blog'])
  }, 120_000)
})
