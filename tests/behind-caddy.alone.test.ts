import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ownPort } from '#tests/support/processes/own-port.ts'
import { type PublicWorld, startPublicWorld } from '#tests/support/processes/public-world.ts'
import { type AcmeServer, startAcmeServer } from '#tests/support/servers/acme-server.ts'
import { type Caddy, startCaddy } from '#tests/support/servers/caddy.ts'
import { type DnsServer, startDnsServer } from '#tests/support/servers/dns-server.ts'
import type { AppClient } from '../devnet/app-client.ts'
import { eventually } from './support/eventually.ts'
import { hasPrograms } from './support/require.ts'

// The application as docs/operating.md sets it up: the shipped Caddyfile in front, with certificates of a real
// authority, and an account server that reads by https who the application is.

const isHere = await hasPrograms('the application behind Caddy', 'caddy', 'pebble')

// No `.test`, `.example` or `home.arpa`: account servers refuse the former, and Caddy has a CA of its own for the latter.
const appHost = 'app.sitehost-tests.net'
const baseDomain = 'sites.sitehost-tests.org'
const here = { a: ['127.0.0.1'] }

let dir: string
let dns: DnsServer
let acme: AcmeServer
let world: PublicWorld
let caddy: Caddy
let alice: AppClient

if (isHere) {
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'sitehost-behind-caddy-'))
    dns = await startDnsServer({ [appHost]: here, [baseDomain]: here })
    const ports = { httpPort: Number(await ownPort()), httpsPort: Number(await ownPort()) }
    acme = await startAcmeServer({ dir, dnsServer: dns.address, ...ports })
    world = await startPublicWorld({
      canFail: true,
      front: { appHost, baseDomain, root: acme.root, httpsPort: ports.httpsPort },
    })
    const { PORT, ASK_LISTEN } = world.environment
    caddy = await startCaddy({
      ...{ dir: join(dir, 'caddy'), ...ports, root: acme.root },
      environment: {
        ...{ APP_HOST: appHost, BASE_DOMAIN: baseDomain, ASK_LISTEN: String(ASK_LISTEN) },
        ...{ UPSTREAM: `127.0.0.1:${PORT}`, ACME_CA: acme.url },
        SSL_CERT_FILE: acme.certificateFile,
      },
    })
    await eventually(() => caddy.visit(baseDomain), 30_000)
    expect(acme.orders()).toBe(1)
    await eventually(async () => {
      expect(await (await caddy.visit(appHost, '/healthz')).text()).toBe('ok')
    })
    alice = await world.signedIn('alice.test')
  }, 300_000)
  afterAll(async () => {
    await caddy?.[Symbol.asyncDispose]()
    await world?.[Symbol.asyncDispose]()
    await acme?.[Symbol.asyncDispose]()
    await dns?.[Symbol.asyncDispose]()
    await rm(dir, { recursive: true, force: true })
  })

  test('people sign in, by https all the way', async () => {
    expect(await (await alice.fetch('/api/auth/status')).json()).toEqual({
      authenticated: true,
      did: world.didOf('alice.test'),
    })
    const begun = await world.client().fetch('/api/auth/login?handle=bob.test')
    expect(begun.headers.get('set-cookie')).toMatch(/^__Host-oauth=.*; Secure/)
    expect(begun.headers.get('strict-transport-security')).toMatch(/^max-age=/)
  }, 120_000)

  test.each([
    ['a page of its own', `https://${appHost}`, 200],
    ['a site', `https://blog.${baseDomain}`, 403],
    ['the same host by http', `http://${appHost}`, 403],
  ])('what %s wants changed (origin %s): %d', async (_, origin, status) => {
    const init = { method: 'POST', headers: { origin }, body: '{"handle":"bob.test"}' }
    expect((await world.client().fetch('/api/auth/signin', init)).status).toBe(status)
  })

  test('a large upload goes through, and its progress comes as it is made', async () => {
    world.network.setFaults({ 'com.atproto.sync.getLatestCommit': { status: 503 } })
    const noise = crypto.getRandomValues(new Uint8Array(65_536))
    const large = new Blob(Array.from({ length: 64 }, () => noise))
    const answer = await alice.upload('waits', [
      { path: 'index.html', body: new Blob(['<h1>waits</h1>']) },
      { path: 'large.bin', body: large },
    ])
    const { jobId } = (await answer.json()) as { jobId: string }
    const stream = await alice.fetch(`/sitehost/upload-progress/${jobId}`)
    expect(stream.headers.get('content-type')).toContain('text/event-stream')
    let text = ''
    for await (const chunk of stream.body ?? []) {
      const wasSilent = text === ''
      text += new TextDecoder().decode(chunk)
      // The job goes on only because this was read: nobody between us keeps what there is for later.
      if (wasSilent) {
        expect(text).toContain('event: progress')
        const cancelled = await alice.fetch(`/sitehost/upload-progress/${jobId}`, {
          method: 'DELETE',
        })
        expect(await cancelled.json()).toEqual({ success: true })
      }
    }
    expect(text).toMatch(/event: error\ndata: .*cancelled/)
    world.network.setFaults({})
  }, 120_000)

  test('a site that is published there is at its own https address', async () => {
    const page = { path: 'index.html', body: new Blob(['<h1>hello</h1>']) }
    const { url } = await alice.publish('blog', [page])
    expect(url).toMatch(/^https:\/\/s--[a-z2-7]{26}\.sites\.sitehost-tests\.org\/$/)
    const { hostname } = new URL(String(url))
    dns.names.set(hostname, here)
    await eventually(async () => {
      const answer = await caddy.visit(hostname)
      expect([answer.status, await answer.text()]).toEqual([200, '<h1>hello</h1>'])
    })
  }, 120_000)

  test('and its owner signs out', async () => {
    expect(await (await alice.fetch('/api/auth/logout', { method: 'POST' })).json()).toEqual({
      success: true,
    })
    expect(await (await alice.fetch('/api/auth/status')).json()).toEqual({ authenticated: false })
  })
}
