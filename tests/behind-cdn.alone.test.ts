import { afterAll, beforeAll, expect, test } from 'bun:test'
import { DeployClient } from '#tests/support/publishing/deploy-client.ts'
import {
  type CdnWorld,
  publishBehindCdn,
  startCdnWorld,
  visitBy,
} from '#tests/support/visitors/behind-cdn.ts'
import { pageUrl } from '#tests/support/visitors/plain-sites.ts'
import { activate, deactivate } from './support/account-admin.ts'
import { createSession, type PdsAccount } from './support/accounts.ts'
import { eventually, withinASecond } from './support/eventually.ts'
import { hasPrograms } from './support/require.ts'

// Varnish and nginx as `deploy/` has them. `bench/soak/cdn.ts` is the same for longer.

const isHere = await hasPrograms('a CDN', 'varnishd', 'nginx')

let cdn: CdnWorld
let account: PdsAccount
let caches: [name: string, origin: string][]

if (isHere) {
  beforeAll(async () => {
    cdn = await startCdnWorld()
    caches = Object.entries(cdn.caches)
    await cdn.world.signedIn('alice.test')
    account = await createSession(cdn.world.network.pds, 'alice.test', 'hunter2pass')
  }, 300_000)
  afterAll(() => cdn[Symbol.asyncDispose]())

  test('what is published is shown within a second, and most visits are answered from the cache', async () => {
    const options = { cdn, account, site: 'blog', publishes: 6, visitors: 2, pauseMs: 4 }
    const ends = await publishBehindCdn(options)
    for (const { hits, stale, visits } of Object.values(ends)) {
      expect(stale).toEqual([])
      expect(visits).toBeGreaterThan(50)
      expect(hits / visits).toBeGreaterThan(0.5)
    }
  }, 120_000)

  test('what may not be kept is asked for each time; what differs is kept apart', async () => {
    const client = await cdn.world.signedIn('bob.test')
    const files = {
      'index.html': 'home '.repeat(400),
      'de.html': 'Guten Tag',
      'en.html': 'Hello',
      'private.html': 'private',
      'assets/app-4f2a9c1b7e30.js': 'let version = 1',
      _redirects: '/old /en.html 301\n/hello /de.html 200 Language=de\n/hello /en.html 200\n',
      _headers: '/private.html\n  Cache-Control: private, max-age=600\n',
    }
    const upload = Object.entries(files).map(([path, text]) => ({ path, body: new Blob([text]) }))
    await client.publish('site', upload)
    const { did } = await createSession(cdn.world.network.pds, 'bob.test', 'hunter2pass')
    const site = (path: string) => pageUrl(cdn.world.app, did, 'site', path)
    const preview = { alias: 'next' }
    const { result } = await new DeployClient(client).deploy(
      'site',
      { 'index.html': 'next' },
      { preview },
    )
    const previewed = new URL(String(result['previewUrl']))
    for (const [name, cache] of caches) {
      const get = (url: URL, headers?: Record<string, string>) => visitBy(url, cache, headers)
      for (const path of ['/missing', '/old', '/private.html']) {
        await get(site(path))
        expect([name, path, (await get(site(path))).isHit]).toEqual([name, path, false])
      }
      expect((await get(previewed)).body).toBe('next')
      expect([name, (await get(previewed)).isHit]).toEqual([name, false])
      // The application, as somebody who is signed in, then as a stranger.
      const cookie = [...client.cookies].map(([key, value]) => `${key}=${value}`).join('; ')
      for (const path of ['/api/user/info', '/editor', '/']) {
        const url = new URL(path, cdn.world.app)
        await get(url, { cookie })
        const stranger = await get(url)
        expect([name, path, stranger.isHit]).toEqual([name, path, false])
        expect(stranger.body).not.toContain('bob.test')
      }
      const hello = async (language: string) =>
        (await get(site('/hello'), { 'accept-language': language })).body
      expect([await hello('de'), await hello('en'), await hello('de')]).toEqual([
        'Guten Tag',
        'Hello',
        'Guten Tag',
      ])
      for (const coding of ['gzip', 'identity', 'br', 'gzip, br']) {
        const { body, headers, status } = await get(site('/'), { 'accept-encoding': coding })
        expect([name, coding, status, body]).toEqual([name, coding, 200, files['index.html']])
        expect(['identity', ...coding.split(', ')]).toContain(
          headers.get('content-encoding') ?? 'identity',
        )
      }
      const asset = site('/assets/app-4f2a9c1b7e30.js')
      // The purge of what has just been published may come between two visits.
      await eventually(async () => expect((await get(asset)).isHit).toBe(true))
      const part = await get(asset, { range: 'bytes=4-10' })
      expect([name, part.status, part.body]).toEqual([name, 206, 'version'])
    }
  }, 60_000)

  test('a page that the visitor’s country decides is kept nowhere', async () => {
    const rule = '/ /de.html 200! Country=de\n'
    const client = await cdn.world.signedIn('bob.test')
    const files = { 'index.html': 'home', 'de.html': 'Guten Tag', _redirects: rule }
    const upload = Object.entries(files).map(([path, text]) => ({ path, body: new Blob([text]) }))
    await client.publish('abroad', upload)
    const { did } = await createSession(cdn.world.network.pds, 'bob.test', 'hunter2pass')
    for (const [name, cache] of caches) {
      const get = () => visitBy(pageUrl(cdn.world.app, did, 'abroad'), cache)
      await get()
      expect([name, (await get()).isHit]).toEqual([name, false])
    }
  }, 60_000)

  test('what is taken back is gone within a second, also what never changes', async () => {
    const home = pageUrl(cdn.world.app, account.did, 'blog')
    // As a visitor may write the same host.
    const spelled = [home.host, `${home.hostname}.`, home.host.toUpperCase()]
    const shown = async (origin: string) => {
      const visits = spelled.map((host) => visitBy(home, origin, { host }))
      return (await Promise.all(visits)).map(({ status }) => status)
    }
    const [there, gone] = [spelled.map(() => 200), spelled.map(() => 404)]
    for (const [, origin] of caches) expect(await shown(origin)).toEqual(there)
    await deactivate(account)
    await eventually(async () => expect((await visitBy(home, null)).status).toBe(404))
    for (const [, origin] of caches) {
      await withinASecond(async () => expect(await shown(origin)).toEqual(gone))
    }
    await activate(account)
    for (const [, origin] of caches) {
      await eventually(async () => expect(await shown(origin)).toEqual(there))
    }
  }, 60_000)

  test('a purge needs the token', async () => {
    const purge = (authorization: string) =>
      fetch(`${cdn.caches.varnish}/.sitehost/purge`, {
        method: 'POST',
        headers: { 'surrogate-key': 'all', authorization },
      })
    expect((await purge('Bearer another-token')).status).toBe(403)
  })
}
