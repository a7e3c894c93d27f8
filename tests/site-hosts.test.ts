import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type DnsServer, startDnsServer } from '#tests/support/servers/dns-server.ts'
import { rawRequest } from '#tests/support/visitors/raw-http.ts'
import type { AppClient } from '../devnet/app-client.ts'
import { eventually } from './support/eventually.ts'
import { startWorld, type World } from './support/world.ts'

// Names and domains, from the route to what visitors get.

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
}, 120_000)
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
  const { location, link } = headers
  return { status, location, link, body: body.toString() }
}
const shows = (host: string, expected: object) =>
  eventually(async () => expect(await visit(host)).toMatchObject(expected))

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
}, 120_000)

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
}, 120_000)

test('a primary address: the site’s other names lead to it, and serve the site again without it', async () => {
  const port = new URL(world.app).port
  const primary = 'alices-home.localhost'
  const other = 'alices-attic.localhost'
  const own = 'www.alices-home.com'
  for (const handle of ['alices-home', 'alices-attic']) {
    const domain = `${handle}.localhost`
    await call('/api/domain/claim', { handle })
    await call('/api/domain/sitehost/map-site', { domain, siteRkey: 'blog' })
  }
  const { body: added } = await call('/api/domain/custom/add', { domain: own })
  const { id } = added as { id: string }
  await call(`/api/domain/custom/${id}/map-site`, { siteRkey: 'blog' })
  const choose = (domain: string | null) => call('/api/site/blog/primary', { domain })
  const chosen = { status: 200, body: { success: true } }
  for (const host of [primary, other]) await shows(host, blog)

  expect(await choose(own)).toMatchObject({
    status: 400,
    body: { success: false, error: expect.stringMatching(/not verified/) },
  })
  expect(await choose('nobodys.localhost')).toMatchObject({
    status: 404,
    body: { success: false, error: 'Domain not found' },
  })
  expect(await choose(primary)).toEqual(chosen)
  const leadsTo = (host: string, to: string) =>
    shows(host, { status: 308, location: `http://${to}:${port}/` })
  await leadsTo(other, primary)
  expect(await visit(other, '/deep/er?x=1&y=%2F')).toMatchObject({
    status: 308,
    location: `http://${primary}:${port}/deep/er?x=1&y=%2F`,
  })
  expect(await visit(other, '//evil.com/x')).toMatchObject({
    location: `http://${primary}:${port}//evil.com/x`,
  })
  expect(await visit(other, '/.well-known/acme-challenge/t')).toMatchObject({ status: 404 })
  expect(await visit(other, '/a%zz')).toMatchObject({ status: 400 })
  expect(await visit(primary)).toMatchObject({ ...blog, link: undefined })
  const { body } = await call('/api/user/sites', undefined, 'GET')
  const [site] = body['sites'] as { url: string; primary: string | null }[]
  expect(site).toMatchObject({ rkey: 'blog', primary })
  const ownHost = new URL(String(site?.url)).host
  const canonical = (host: string) => ({
    ...blog,
    link: `<http://${host}:${port}/>; rel="canonical"`,
  })
  await shows(ownHost, canonical(primary))

  // Verified, it may take over.
  const { body: status } = await call('/api/auth/status', undefined, 'GET')
  dns.names.set(`_sitehost.${own}`, { txt: [String(status['did'])] })
  await call('/api/domain/custom/verify', { id })
  await leadsTo(own, primary)
  expect(await choose(own)).toEqual(chosen)
  await leadsTo(primary, own)
  await leadsTo(other, own)
  await shows(own, blog)
  await shows(ownHost, canonical(own))

  // Gone: the others serve the site again.
  await call(`/api/domain/custom/${id}`, undefined, 'DELETE')
  await shows(own, { status: 404 })
  for (const host of [primary, other]) await shows(host, blog)
  await shows(ownHost, { ...blog, link: undefined })

  await choose(other)
  await leadsTo(primary, other)
  await call('/api/domain/sitehost/map-site', { domain: other, siteRkey: 'shop' })
  await shows(primary, blog)
  await shows(other, shop)
  await choose(primary)
  await call('/api/domain/sitehost/map-site', { domain: other, siteRkey: 'blog' })
  await leadsTo(other, primary)
  expect(await choose(null)).toEqual(chosen)
  await shows(other, blog)
  for (const domain of [primary, other]) {
    await call(`/api/domain/sitehost/${domain}`, undefined, 'DELETE')
  }
}, 120_000)

test('the address by owner and name leads to the site’s own host, which shows it', async () => {
  const { status, location = '' } = await visit(
    'sites.localhost',
    '/alice.test/blog/index.html?x=1',
  )
  expect([status, location]).toEqual([302, expect.stringMatching(/^http:\/\/s--[a-z2-7]{26}\./)])
  const url = new URL(location)
  expect(url.pathname + url.search).toBe('/index.html?x=1')
  expect(await visit(url.host, url.pathname)).toMatchObject(blog)
}, 120_000)
