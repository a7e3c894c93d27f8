import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ownPort } from '#tests/support/processes/own-port.ts'
import { runCommand } from '#tests/support/processes/run-command.ts'
import { type AcmeServer, startAcmeServer } from '#tests/support/servers/acme-server.ts'
import { type Caddy, startCaddy } from '#tests/support/servers/caddy.ts'
import { type DnsServer, startDnsServer } from '#tests/support/servers/dns-server.ts'
import { loopbackCertificate } from '#tests/support/servers/loopback-certificate.ts'
import type { AppClient } from '../devnet/app-client.ts'
import { eventually } from './support/eventually.ts'
import { hasPrograms } from './support/require.ts'
import { startWorld, type World } from './support/world.ts'

// The shipped Caddyfile in a real Caddy, a real certificate authority that really looks, a real name server.

const isHere = await hasPrograms('certificates by Caddy and Pebble', 'caddy', 'pebble')

const baseDomain = 'sites.example'
const appHost = 'app.example.net'
const style = 'p { color: green }\n'.repeat(1000)
const here = { a: ['127.0.0.1'] }

let dir: string
let dns: DnsServer
let acme: AcmeServer
let caddy: Caddy
let world: World
let alice: AppClient
let ask: string
const ports = { httpPort: Number(await ownPort()), httpsPort: Number(await ownPort()) }

const caddyIn = (folder: string, environment: Record<string, string> = {}, root = acme.root) =>
  startCaddy({
    dir: join(dir, folder),
    ...ports,
    root,
    environment: {
      APP_HOST: appHost,
      BASE_DOMAIN: baseDomain,
      ASK_LISTEN: ask,
      UPSTREAM: new URL(world.app).host,
      ACME_CA: acme.url,
      SSL_CERT_FILE: acme.certificateFile,
      ...environment,
    },
  })

async function call(path: string, body?: object, method = 'POST') {
  const init = body && {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }
  const answer = await alice.fetch(path, { method, ...init })
  return (await answer.json()) as Record<string, unknown>
}

async function claim(handle: string): Promise<string> {
  const { domain } = await call('/api/domain/claim', { handle })
  return String(domain)
}
const mapName = (domain: string, siteRkey: string | null) =>
  call('/api/domain/sitehost/map-site', { domain, siteRkey })

/** Everything but the proof that it is alice's. */
async function addMapped(domain: string): Promise<string> {
  const { id } = await call('/api/domain/custom/add', { domain })
  await call(`/api/domain/custom/${id}/map-site`, { siteRkey: 'blog' })
  dns.names.set(domain, here)
  return String(id)
}
async function verify(domain: string, id: string): Promise<void> {
  const { did } = await call('/api/auth/status', undefined, 'GET')
  dns.names.set(`_sitehost.${domain}`, { txt: [String(did)] })
  expect(await call('/api/domain/custom/verify', { id })).toMatchObject({ verified: true })
}

/** Within the second that a change may take, and the time that a certificate does. */
const shows = (host: string, status = 200, body = '<h1>blog</h1>') =>
  eventually(async () => {
    const answer = await caddy.visit(host)
    expect([answer.status, await answer.text()]).toEqual([status, body])
  })

/** The handshake fails, and the authority is not even asked. */
async function isRefused(host: string): Promise<void> {
  const [orders, questions] = [acme.orders(), dns.questions.length]
  const answer = await caddy.visit(host).catch((error: Error & { code?: string }) => error)
  // The front ends the handshake; it is not that we do not trust what it shows.
  expect(answer).toMatchObject({ code: 'EPROTO' })
  expect(acme.orders()).toBe(orders)
  expect(dns.questions.slice(questions)).not.toContain(`A ${host}`)
}

if (isHere) {
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'sitehost-certificates-'))
    dns = await startDnsServer({ [appHost]: here, [baseDomain]: here })
    acme = await startAcmeServer({ dir, dnsServer: dns.address, ...ports })
    ask = `127.0.0.1:${await ownPort()}`
    world = await startWorld({
      environment: { BASE_DOMAIN: baseDomain, DNS_SERVERS: dns.address, ASK_LISTEN: ask },
    })
    alice = await world.signedIn('alice.test')
    await alice.publish('blog', [
      { path: 'index.html', body: new Blob(['<h1>blog</h1>']) },
      { path: 'large.css', body: new Blob([style]) },
    ])
    caddy = await caddyIn('caddy')
  }, 120_000)
  afterAll(async () => {
    await caddy[Symbol.asyncDispose]()
    await world[Symbol.asyncDispose]()
    await acme[Symbol.asyncDispose]()
    await dns[Symbol.asyncDispose]()
    await rm(dir, { recursive: true })
  })

  test('the base domain has one from the start, and nothing else is ordered beside it', async () => {
    const answer = await eventually(() => caddy.visit(baseDomain), 30_000)
    expect([answer.status, answer.headers.get('location')]).toEqual([302, `${world.app}/`])
    expect([acme.orders(), acme.issued()]).toEqual([1, 1])
  }, 120_000)

  test('http leads to https, whatever the host', async () => {
    for (const host of [appHost, `blog.${baseDomain}`, 'www.any.com']) {
      const answer = await caddy.visitPlain(host, '/a%20b?c=d')
      expect(answer.status).toBe(308)
      expect(answer.headers.get('location')).toBe(`https://${host}/a%20b?c=d`)
    }
  })

  describe('a certificate on demand', () => {
    test('for a domain that is verified and mapped, from then on', async () => {
      const host = 'www.alice-shop.com'
      const id = await addMapped(host)
      await isRefused(host)
      await verify(host, id)
      await shows(host)
      expect(dns.questions).toContain(`A ${host}`)
    }, 120_000)

    test('for a claimed name and for a site’s own host', async () => {
      const host = await claim('alices')
      dns.names.set(host, here)
      await isRefused(host)
      await mapName(host, 'blog')
      await shows(host)
      const { url } = (
        (await call('/api/user/sites', undefined, 'GET')) as { sites: [{ url: string }] }
      ).sites[0]
      const own = new URL(url).hostname
      dns.names.set(own, here)
      await shows(own)
    }, 120_000)

    const refused = [
      'random.example.org',
      `nobody.${baseDomain}`,
      `s--${'a'.repeat(26)}.${baseDomain}`,
    ]
    for (const host of [...refused, `x.dns.${baseDomain}`]) {
      test(`not for ${host}`, async () => {
        dns.names.set(host, here)
        await isRefused(host)
      })
    }

    test('not for one whose name was released, once its certificate is gone', async () => {
      const host = await claim('alices-old')
      dns.names.set(host, here)
      await mapName(host, 'blog')
      await shows(host)
      await call(`/api/domain/sitehost/${host}`, undefined, 'DELETE')
      await eventually(async () => expect((await caddy.visit(host)).status).toBe(404))
      await caddy.stop()
      await rm(join(dir, 'caddy/caddy/certificates'), { recursive: true })
      caddy = await caddyIn('caddy')
      await eventually(() => caddy.visit(baseDomain), 20_000)
      await isRefused(host)
    }, 120_000)
  })

  describe('custom domains of a site that an administrator takes offline', () => {
    const known = 'www.alice-reported.com'
    const because = ['--reason', 'a court said so']
    const moderate = async (...args: string[]) => {
      const { code } = await runCommand([...args, '--data', world.dataDir])
      expect(code).toBe(0)
    }
    const site = async () => `${(await call('/api/auth/status', undefined, 'GET'))['did']}/blog`
    const statusIs = (status: number) =>
      eventually(async () => expect((await caddy.visit(known)).status).toBe(status))

    beforeAll(async () => verify(known, await addMapped(known)))

    for (const status of [451, 404]) {
      test(`answer ${status}, and get no certificate until it is back`, async () => {
        const fresh = `www.alice-offline-${status}.com`
        await shows(known)
        await verify(fresh, await addMapped(fresh))
        await moderate('site', 'take-down', await site(), '--status', String(status), ...because)
        await statusIs(status)
        await isRefused(fresh)
        await moderate('site', 'bring-back', await site(), ...because)
        await shows(known)
        await shows(fresh)
      }, 120_000)
    }
  })

  test('while the service is away, names that have a certificate keep it; nobody else gets one', async () => {
    const [known, fresh] = ['www.alice-stays.com', 'www.alice-waits.com']
    await verify(known, await addMapped(known))
    await shows(known)
    await verify(fresh, await addMapped(fresh))
    await world.restart({}, async () => {
      const answer = await caddy.visit(known)
      expect(answer.status).toBe(502)
      await isRefused(fresh)
      // Not only from memory: Caddy 2.6 does not ask again for what is in its folder.
      await caddy.stop()
      caddy = await caddyIn('caddy')
      expect((await caddy.visit(known)).status).toBe(502)
    })
    await shows(known)
    await shows(fresh)
  }, 120_000)

  test('a restart of the service is waited for', async () => {
    const known = 'www.alice-stays.com'
    let answer: Promise<Response> = Promise.reject(new Error('not asked'))
    answer.catch(() => undefined)
    await world.restart({}, async () => {
      answer = caddy.visit(known)
    })
    expect((await answer).status).toBe(200)
  }, 120_000)

  test('what goes through is what the service has sent', async () => {
    for (const [accepted, coding] of [['gzip', 'gzip'] as const, ['identity', null] as const]) {
      const headers = { 'accept-encoding': accepted }
      const answer = await caddy.visit('www.alice-stays.com', '/large.css', headers)
      expect(answer.headers.get('content-encoding')).toBe(coding)
      expect(await answer.text()).toBe(style)
    }
  })

  test('a wildcard certificate from files serves all names of the base domain, without any order', async () => {
    const files = {
      BASE_DOMAIN_TLS: 'files',
      WILDCARD_CERT: acme.certificateFile,
      WILDCARD_KEY: join(dir, 'acme-server.key'),
      ACCESS_LOG: 'on',
    }
    await caddy.stop()
    caddy = await caddyIn('caddy', files, loopbackCertificate)
    const orders = acme.orders()
    await shows(`alices.${baseDomain}`)
    expect((await caddy.visit(`nobody.${baseDomain}`)).status).toBe(404)
    expect(acme.orders()).toBe(orders)
  }, 120_000)
}
