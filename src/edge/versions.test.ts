import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { takeOffline } from '#admin/take-offline.ts'
import { AwaitedSites } from '#edge/names/awaited-sites.ts'
import { GoneVersions } from '#edge/names/gone-versions.ts'
import { Hosts } from '#edge/names/hosts.ts'
import { Previews } from '#edge/names/previews.ts'
import { Takedowns } from '#edge/names/takedowns.ts'
import { parseTrustedProxies } from '#http/client-address.ts'
import { siteLabel } from '#site/site-address.ts'
import { versionLabel } from '#site/version-label.ts'
import { encodeSnapshot, type Snapshot } from '#site/visit/snapshot.ts'
import { setAccountStatus } from '#store/accounts/account-status.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { followChanges } from '#store/database/change-feed.ts'
import type { Database } from '#store/database/database.ts'
import { WakeUps } from '#store/database/wake-ups.ts'
import { setPrimaryDomain } from '#store/names/primary-domain.ts'
import { claimSubdomain, mapSubdomain } from '#store/names/subdomains.ts'
import {
  type NewVersionRecord,
  recordVersionRecord,
  removeVersionRecord,
} from '#store/sites/version-records/record-version-record.ts'
import { recordingLog } from '#tests/support/api.ts'
import { memoryDatabase } from '#tests/support/database/databases.ts'
import {
  alice,
  nameOf,
  newVersionRecord,
  siteOf,
  versionKeyOf,
} from '#tests/support/database/sample-rows.ts'
import { eventually } from '#tests/support/eventually.ts'
import { originOf, type Seen, seen, visitedSite } from '#tests/support/visitors/edge.ts'
import { goLive, snapshotOf } from '#tests/support/visitors/served-site.ts'
import { createDispatch } from './dispatch.ts'
import { Addresses } from './names/addresses.ts'
import { forgetChanged, SiteCache } from './site-cache.ts'

const baseDomain = 'sites.test'
const blog = siteOf('blog')
const label = siteLabel(blog)
const live = `${label}.${baseDomain}`
const claimed = `blog.${baseDomain}`

const stored = visitedSite({
  'index.html': { body: '<h1>home</h1>', gzip: true },
  'about.html': { body: 'about' },
  'old.html': { body: 'old' },
  '404.html': { body: 'nothing here' },
  'app/index.html': { body: 'the app' },
  'files/a.txt': { body: 'a text', contentType: 'text/plain; charset=utf-8' },
  'files/b.bin': { body: 'bytes', contentType: 'application/octet-stream' },
  'assets/index-BX3f9aQz.js': { body: 'js', contentType: 'text/javascript; charset=utf-8' },
  'next.html': { body: 'the next version' },
})
const storedFiles = stored.known.site.snapshot.files
const filesOf = (...paths: string[]) =>
  Object.fromEntries([...storedFiles].filter(([path]) => paths.includes(path)))

const first = snapshotOf(
  filesOf(...[...storedFiles.keys()].filter((path) => path !== 'next.html')),
  {
    recordCid: 'cid of the manifest',
    publishedAt: Date.UTC(2029, 0, 1),
    redirects: '/gone /none 410\n/was/* /files/:splat 302\n/de/ /about.html 200! Language=de\n',
    headers: '/files/*\n  X-Own: :splat\n  Cache-Control: no-cache\n',
    settings: {
      $type: 'place.sitehost.settings',
      cleanUrls: true,
      directoryListing: true,
      headers: [{ name: 'X-Everywhere', value: '1' }],
    },
  },
)
const next = snapshotOf(filesOf('next.html'), { recordCid: 'cid of the next' })

let database: Database
let edge: ReturnType<typeof openEdge>
let time: number
/** How far the monotonic clock has been set ahead. */
let aheadMs = 0
beforeEach(async () => {
  database = await memoryDatabase()
  await upsertAccount(database.db, { did: alice }, 1)
  time = Date.UTC(2030, 5, 1)
  edge = openEdge()
})
afterEach(async () => {
  edge.end.abort()
  await edge.following
  await database[Symbol.asyncDispose]()
})

/** The edge as the service has it, over this database. */
function openEdge() {
  const { db } = database
  const [log, now, elapsed] = [recordingLog(), () => time, () => performance.now() + aheadMs]
  const origins = { baseDomain, db, elapsed, originOf }
  const caches = {
    addresses: new Addresses({ db, elapsed }),
    gone: new GoneVersions({ ...origins, now }),
    hosts: new Hosts(origins),
    previews: new Previews(origins),
    snapshots: new SiteCache({
      ...{ ...origins, log, now, bytesMax: 1_000_000, earlierBytesMax: 1_000_000 },
      onUnreadable: () => undefined,
    }),
    takedowns: new Takedowns({ db, elapsed }),
  }
  const awaited = new AwaitedSites({ db, now: elapsed })
  const end = new AbortController()
  const wakeUps = new WakeUps()
  const feed = { db, wakeUps, log, pollMs: 5, signal: end.signal }
  const answer = createDispatch({
    application: () => new Response('the application'),
    origin: 'https://app.test',
    applicationHost: 'app.test',
    baseDomain,
    front: {
      countryHeader: null,
      redirectsToHttps: false,
      trustedProxies: parseTrustedProxies('') ?? [],
    },
    visits: { ...stored.context, ...caches, awaited, log, now },
    addresses: {
      ...{ addresses: caches.addresses, db, pages: stored.context.pages },
      siteUrl: () => 'unused',
      discover: undefined,
    },
    metrics: { observe: () => undefined },
    elsewhere: null,
  })
  const following = followChanges([forgetChanged(caches)], feed)
  return { answer, end, following, wakeUps }
}

const server = { requestIP: () => null } as unknown as Bun.Server<undefined>

function visit(host: string, path = '/', init: RequestInit = {}): Promise<Seen> {
  const request = new Request(`http://${host}${path}`, init)
  request.headers.set('host', host)
  return seen(edge.answer(request, server))
}

/** What its visitors get within a second: a body, a place to go, or a status. */
function shows(host: string, what: string): Promise<void> {
  edge.wakeUps.notify('changes')
  return eventually(async () => {
    const { body, headers, status } = await visit(host)
    const text = status === 200 ? body.toString() : String(status)
    expect(headers['location'] ?? text).toBe(what)
  })
}

const addressOf = (n: number) => versionLabel(blog, `content ${n}`)
const hostOf = (n: number) => `${addressOf(n)}.${baseDomain}`

function keep(n: number, snapshot: Snapshot, facts: Partial<NewVersionRecord> = {}) {
  const content = { label: addressOf(n), snapshot: encodeSnapshot(snapshot) }
  const record = newVersionRecord(n, { ...content, ...facts })
  return recordVersionRecord(database.db, record, time)
}

const forget = (n: number) =>
  removeVersionRecord(database.db, { did: alice, key: versionKeyOf(n) }, '9', time)

async function claim(): Promise<void> {
  await claimSubdomain(database.db, { did: alice, domain: claimed }, { subdomainsMax: 3, now: 1 })
  await mapSubdomain(database.db, { did: alice, domain: claimed }, nameOf('blog'), 1)
}

const pageOf = (file: string) => ({
  ...snapshotOf({ 'index.html': [...Object.values(filesOf(file))][0] as never }),
})

describe('a version’s address answers as the site did when the version was live,', () => {
  const requests: [path: string, init?: RequestInit][] = [
    ['/'],
    ['/', { method: 'HEAD' }],
    ['/', { method: 'OPTIONS' }],
    ['/', { method: 'POST' }],
    ['/', { headers: { 'accept-encoding': 'gzip' } }],
    ['/', { headers: { 'accept-encoding': 'gzip', range: 'bytes=0-3' } }],
    ['/', { headers: { range: 'bytes=0-3' } }],
    ['/', { headers: { range: 'bytes=99-' } }],
    ['/', { headers: { 'if-none-match': '*' } }],
    ['/', { headers: { 'if-match': '"x"' } }],
    ['/about'],
    ['/about.html'],
    ['/about/'],
    ['/app'],
    ['/app/'],
    ['/files/'],
    ['/files/', { headers: { accept: 'application/json' } }],
    ['/files/a.txt'],
    ['/files/b.bin'],
    ['/was/a.txt?q=1'],
    ['/gone'],
    ['/de/'],
    ['/de/', { headers: { 'accept-language': 'de' } }],
    ['/nothing'],
    ['/nothing', { headers: { accept: 'text/html' } }],
    ['/assets/index-BX3f9aQz.js'],
    ['/_redirects'],
    ['/%zz'],
    ['/old'],
  ]

  /** The fields that must differ, and only where the live site has them: other answers are not of the site. */
  function asVersion(path: string, { status, headers, body }: Seen): Seen {
    if (headers['x-sitehost-version'] === undefined && status !== 304)
      return { status, headers, body }
    const isFile = headers['etag'] !== undefined && path !== '/files/'
    const isFresh = headers['cache-control'] === 'public, max-age=0, must-revalidate'
    return {
      status,
      body,
      headers: {
        ...headers,
        // Search engines list the live site.
        'x-robots-tag': 'noindex',
        link: `<http://${live}${path.split('?')[0]}>; rel="canonical"`,
        // Its content never changes. The owner's own rule counts here too.
        ...(isFile && isFresh && { 'cache-control': 'public, max-age=31536000, immutable' }),
        // When it was published, on any host; when it came here, for the live site.
        ...(headers['last-modified'] && {
          'last-modified': new Date(first.publishedAt).toUTCString(),
        }),
        // The record that still proves it.
        ...(headers['x-sitehost-record'] && {
          'x-sitehost-record': `at://${alice}/place.sitehost.version/${versionKeyOf(1)}`,
          'x-sitehost-version': 'cid 1',
        }),
      },
    }
  }

  test('but for the fields that must differ', async () => {
    await goLive(database.db, first, '3kaaaaaaaaaa2', time)
    const before: Seen[] = []
    for (const [path, init] of requests) before.push(await visit(live, path, init))
    await keep(1, first)
    await goLive(database.db, next, '3kaaaaaaaaaa3', time)
    await shows(live, '404')
    for (const [nth, [path, init]] of requests.entries()) {
      const expected = asVersion(path, before[nth] as Seen)
      expect([path, init, await visit(hostOf(1), path, init)]).toEqual([path, init, expected])
    }
  })

  test('also while the site has a primary address, which is the one to list', async () => {
    await keep(1, first)
    await claim()
    await shows(hostOf(1), '<h1>home</h1>')
    await setPrimaryDomain(database.db, blog, claimed, 1)
    await eventually(async () => {
      const { status, headers } = await visit(hostOf(1), '/about')
      expect([status, headers['link']]).toEqual([200, `<http://${claimed}/about>; rel="canonical"`])
    })
  })

  test('without assets of other versions', async () => {
    await goLive(database.db, first, '3kaaaaaaaaaa2', time)
    await goLive(database.db, next, '3kaaaaaaaaaa3', time)
    await keep(1, next)
    const asset = '/assets/index-BX3f9aQz.js'
    expect((await visit(live, asset)).status).toBe(200)
    expect((await visit(hostOf(1), asset)).status).toBe(404)
  })
})

describe('a version that', () => {
  const pageAt = (host: string) => visit(host).then(({ status, body }) => [status, body.toString()])

  test('never was is not found', async () => {
    expect((await visit(hostOf(1))).status).toBe(404)
  })

  test('was forgotten is gone within a second, with a link to the site', async () => {
    await keep(1, first)
    await shows(hostOf(1), '<h1>home</h1>')
    await forget(1)
    await shows(hostOf(1), '410')
    const [, page] = await pageAt(hostOf(1))
    expect(page).toContain(`<a href="http://${live}/">`)
    await claim()
    await setPrimaryDomain(database.db, blog, claimed, 1)
    aheadMs += 1_000
    await eventually(async () =>
      expect((await pageAt(hostOf(1)))[1]).toContain(`"http://${claimed}/"`),
    )
  })

  test('has expired is gone from that moment on, though nobody has dropped it yet', async () => {
    await keep(1, first, { expiresAt: time + 1 })
    expect((await visit(hostOf(1))).status).toBe(200)
    time += 1
    expect((await visit(hostOf(1))).status).toBe(410)
  })

  test('has the content of one that expires stays', async () => {
    const content = { label: addressOf(1) }
    await keep(1, first, content)
    await keep(2, first, { ...content, expiresAt: time + 1 })
    expect((await visit(hostOf(1))).status).toBe(200)
    time += 1
    expect((await visit(hostOf(1))).status).toBe(200)
  })

  test('is kept again is there again', async () => {
    await keep(1, first)
    await forget(1)
    await shows(hostOf(1), '410')
    await keep(2, first, { label: addressOf(1) })
    await shows(hostOf(1), '<h1>home</h1>')
  })

  test('belongs to a site that is taken down is offline with it', async () => {
    await keep(1, first)
    await shows(hostOf(1), '<h1>home</h1>')
    const context = { db: database.db, wakeUps: edge.wakeUps, log: recordingLog(), now: () => 9 }
    await takeOffline(
      { did: alice, site: nameOf('blog') },
      451,
      { actor: 'ruth', reason: 'x' },
      context,
    )
    await shows(hostOf(1), '451')
  })

  test('belongs to a hidden account is not found', async () => {
    await keep(1, first)
    await shows(hostOf(1), '<h1>home</h1>')
    await setAccountStatus(database.db, alice, 'deactivated', 2)
    await shows(hostOf(1), '404')
  })
})

describe('an alias', () => {
  const preview = { manifest: null, alias: 'pr-12' }
  const below = (name: string) => `pr-12--${name}`
  const ofLabel = below(live.slice('s--'.length))

  test('of a site that was never live shows its newest preview, at the site’s label and at its names', async () => {
    await claim()
    await keep(1, first, preview)
    await shows(ofLabel, '<h1>home</h1>')
    await shows(below(claimed), '<h1>home</h1>')
    await keep(2, pageOf('next.html'), preview)
    await shows(ofLabel, 'the next version')
    await shows(below(claimed), 'the next version')
    await forget(2)
    await shows(ofLabel, '<h1>home</h1>')
    const { headers } = await visit(ofLabel)
    expect(headers).toMatchObject({
      'cache-control': 'private, no-cache',
      'x-robots-tag': 'noindex',
      link: `<http://${live}/>; rel="canonical"`,
    })
  })

  test('shows it where other names of the site lead to its primary address', async () => {
    await claim()
    await setPrimaryDomain(database.db, blog, claimed, 1)
    await keep(1, first, preview)
    await shows(ofLabel, '<h1>home</h1>')
    await shows(below(claimed), '<h1>home</h1>')
  })

  test('is gone with its last preview, removed or expired', async () => {
    await claim()
    await keep(1, first, { ...preview, expiresAt: time + 1 })
    await shows(ofLabel, '<h1>home</h1>')
    time += 1
    for (const host of [ofLabel, below(claimed)]) expect((await visit(host)).status).toBe(410)
    await keep(2, first, preview)
    await shows(ofLabel, '<h1>home</h1>')
    await forget(1)
    await forget(2)
    await shows(ofLabel, '410')
    await shows(below(claimed), '410')
  })

  test('an older preview that still stands has it back', async () => {
    await keep(1, first, preview)
    await keep(2, pageOf('next.html'), { ...preview, expiresAt: time + 1 })
    await shows(ofLabel, 'the next version')
    time += 1
    await shows(ofLabel, '<h1>home</h1>')
  })

  test('that nobody gave, or below a name that leads nowhere or elsewhere, is not found', async () => {
    await keep(1, first, preview)
    for (const host of [ofLabel.replace('12', '13'), below(claimed)]) {
      expect((await visit(host)).status).toBe(404)
    }
    await claim()
    await mapSubdomain(database.db, { did: alice, domain: claimed }, nameOf('other'), 2)
    await shows(below(claimed), '404')
    await mapSubdomain(database.db, { did: alice, domain: claimed }, nameOf('blog'), 3)
    await shows(below(claimed), '<h1>home</h1>')
  })

  test('of a site that is taken down is offline with it', async () => {
    await keep(1, first, preview)
    await shows(ofLabel, '<h1>home</h1>')
    const context = { db: database.db, wakeUps: edge.wakeUps, log: recordingLog(), now: () => 9 }
    await takeOffline({ did: alice, site: '' }, 451, { actor: 'ruth', reason: 'x' }, context)
    await shows(ofLabel, '451')
  })
})
