import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { AppClient } from '../devnet/app-client.ts'
import { type DnsServer, startDnsServer } from './support/dns-server.ts'
import { eventually } from './support/eventually.ts'
import { rawRequest } from './support/raw-http.ts'
import { startWorld, type World } from './support/world.ts'

// Names and domains, from the route to what visitors get, within the second that they may take.

let dns: DnsServer
let world: World
let alice: AppClient
beforeAll(async () => {
  dns = await startDnsServer({})
  world = await startWorld({ environment: { DNS_SERVERS: dns.address } })
  alice = await world.signedIn('alice.test')
  for (const name of ['blog', 'shop']) {
    await alice.publish(name, [{ path: 'index.html', body: new Blob([`<h1>${name}</h1>`]) }])
  }
}, 60_000)
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await dns[Symbol.asyncDispose]()
})

async function call(path: string, body?: object, method = 'POST') {
  const init = body && {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }
  const answer = await alice.fetch(path, { method, ...init })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

async function visit(host: string, path = '/') {
  const port = Number(new URL(world.app).port)
  const request = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
  const { status, headers, body } = await rawRequest(port, request)
  return { status, location: headers['location'], body: body.toString() }
}
const shows = (host: string, expected: object) =>
  eventually(async () => expect(await visit(host)).toMatchObject(expected), 1000)

const blog = { status: 200, body: '<h1>blog</h1>' }
const shop = { status: 200, body: '<h1>shop</h1>' }

test('a claimed name: unmapped, mapped, mapped anew, renamed, released', async () => {
  const domain = 'alices.localhost'
  expect(await visit(domain)).toMatchObject({ status: 404 })
  expect((await call('/api/domain/claim', { handle: 'alices' })).body).toMatchObject({ domain })
  expect(await visit(domain)).toMatchObject({ status: 404 })
  await call('/api/domain/sitehost/map-site', { domain, siteRkey: 'blog' })
  await shows(domain, blog)
  expect(await visit('ALICES.localhost.:80')).toMatchObject(blog)
  await call('/api/domain/sitehost/map-site', { domain, siteRkey: 'shop' })
  await shows(domain, shop)
  await call('/api/domain/update', { handle: 'alices-new' })
  await shows(domain, { status: 404 })
  await shows('alices-new.localhost', shop)
  await call('/api/domain/sitehost/alices-new.localhost', undefined, 'DELETE')
  await shows('alices-new.localhost', { status: 404 })
}, 30_000)

test('a custom domain: served once it is verified and mapped, until it is deleted', async () => {
  const host = 'www.alice-shop.com'
  const { body: added } = await call('/api/domain/custom/add', { domain: host })
  const { id } = added as { id: string }
  await call(`/api/domain/custom/${id}/map-site`, { siteRkey: 'shop' })
  expect(await visit(host)).toMatchObject({ status: 404 })
  const { body: status } = await call('/api/auth/status', undefined, 'GET')
  dns.names.set(`_sitehost.${host}`, { txt: [String(status['did'])] })
  expect((await call('/api/domain/custom/verify', { id })).body).toMatchObject({ verified: true })
  await shows(host, shop)
  await call(`/api/domain/custom/${id}/map-site`, { siteRkey: 'blog' })
  await shows(host, blog)
  await call(`/api/domain/custom/${id}`, undefined, 'DELETE')
  await shows(host, { status: 404 })
}, 30_000)

test('the address by owner and name leads to the site’s own host, which shows it', async () => {
  const { status, location = '' } = await visit(
    'sites.localhost',
    '/alice.test/blog/index.html?x=1',
  )
  expect([status, location]).toEqual([302, expect.stringMatching(/^http:\/\/s--[a-z2-7]{26}\./)])
  const url = new URL(location)
  expect(url.pathname + url.search).toBe('/index.html?x=1')
  expect(await visit(url.host, url.pathname)).toMatchObject(blog)
}, 30_000)
