import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DiskBlobStore, diskBlobStore } from '#blobs/disk.ts'
import { serveSite } from '#edge/edge.ts'
import { Bodies } from '#edge/files/bodies.ts'
import { CodingChoices } from '#edge/files/codings.ts'
import { DecodedFiles } from '#edge/files/decoded-files.ts'
import { DecodedStreams } from '#edge/files/decoded-streams.ts'
import { MissingBlobs } from '#edge/files/missing-blobs.ts'
import { Recompressor } from '#edge/files/recompressor.ts'
import { AwaitedSites } from '#edge/names/awaited-sites.ts'
import { createRouter } from '#edge/names/route.ts'
import { OwnPages, plainPage } from '#edge/pages.ts'
import { SiteCache } from '#edge/site-cache.ts'
import { siteLabel } from '#site/site-address.ts'
import type { Database } from '#store/database/database.ts'
import { WakeUps } from '#store/database/wake-ups.ts'
import { enqueueSites } from '#store/queues/enqueue.ts'
import { memoryDatabase } from '#tests/support/database/databases.ts'
import { siteOf } from '#tests/support/database/sample-rows.ts'
import { askedAt, clearWork, workRows } from '#tests/support/database/work-rows.ts'
import { originOf } from '#tests/support/visitors/edge.ts'
import { type RawResponse, rawRequest } from '#tests/support/visitors/raw-http.ts'
import {
  goLive,
  type SampleFile,
  snapshotOf,
  storedFile,
} from '#tests/support/visitors/served-site.ts'
import { recordingLog } from './support/api.ts'
import { eventually } from './support/eventually.ts'

// What visitors get over a real connection, where Bun's own reading and writing of HTTP counts too.

const large = new Uint8Array(5 * 1024 * 1024).map((_, i) => i % 251)
const huge = new Uint8Array(40 * 1024 * 1024)
const decodedBytesMax = huge.length + large.length
const css = 'a { color: red }\n'.repeat(200)
const samples: Record<string, SampleFile> = {
  'index.html': { body: '<h1>home</h1>', gzip: true },
  'plain.png': { body: 'png', contentType: 'image/png' },
  'large.bin': { body: large, contentType: 'application/octet-stream' },
  'large.txt': { body: large, contentType: 'text/plain; charset=utf-8', gzip: true },
  'huge.txt': { body: huge, contentType: 'text/plain; charset=utf-8', gzip: true },
  'text.css': { body: css, contentType: 'text/css; charset=utf-8' },
  'empty.txt': { body: '', contentType: 'text/plain; charset=utf-8' },
  'evil.com': { body: 'ours' },
  'ü.html': { body: 'u' },
  // Ingest never records such a type; the edge must not fall over it all the same.
  'broken.html': { body: 'x', contentType: 'text/html\r\nset-cookie: a=b' },
}

let dir: string
let database: Database
let blobs: DiskBlobStore
let server: Bun.Server<undefined>
let host: string
let decodedFiles: DecodedFiles
let recompressor: Recompressor
const stop = new AbortController()
/** What the clock is ahead. */
let passedMs = 0
const logged: Parameters<typeof recordingLog>[0] = []

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sitehost-edge-'))
  database = await memoryDatabase()
  blobs = diskBlobStore({ dir: join(dir, 'blobs') })
  const { db } = database
  const files = Object.entries(samples).map(([path, sample]) => [path, storedFile(sample)] as const)
  for (const [, { stored }] of files) await blobs.put(stored)
  const entries = Object.fromEntries(files.map(([path, { file }]) => [path, file]))
  const lost = storedFile({ body: 'nowhere' }).file
  host = `${await goLive(db, snapshotOf({ ...entries, 'lost.html': lost }))}.localhost`
  const log = recordingLog(logged)
  const now = () => Date.now() + passedMs
  const missing = new MissingBlobs({
    ...{ db, blobs, wakeUps: new WakeUps(), log, now, elapsed: now },
    signal: stop.signal,
  })
  const snapshots = new SiteCache({
    ...{ db, log, now, bytesMax: 1_000_000, earlierBytesMax: 0, originOf },
    baseDomain: 'localhost',
    onUnreadable: () => undefined,
  })
  const bodies = new Bodies({ blobs, bytesMax: 10_000_000 })
  decodedFiles = new DecodedFiles({ blobs, dir: join(dir, 'decoded'), bytesMax: decodedBytesMax })
  recompressor = new Recompressor({ bodies, log })
  const choices = new CodingChoices()
  const awaited = new AwaitedSites({ db, now })
  const edge = {
    awaited,
    bodies,
    choices,
    clientOf: () => '192.0.2.1',
    canOpenFile: () => true,
    networkOf: () => '192.0.2.1',
    visitorOf: () => ({ network: '192.0.2.1', userAgent: 'a browser', country: null }),
    countryOf: () => null,
    decodedFiles,
    decodedStreams: new DecodedStreams(),
    gone: { get: async () => null },
    log,
    missing,
    now,
    pages: new OwnPages(null),
    recompressor,
    snapshots,
    takedowns: { get: async () => null },
  }
  const routeOf = createRouter({ applicationHost: '127.0.0.1', baseDomain: 'localhost' })
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const route = routeOf(request.headers.get('host'))
      if (route.kind === 'site') return serveSite(route, request, edge)
      return route.kind === 'bad-host' ? plainPage(400, 'Bad') : edge.pages.unclaimed()
    },
  })
})
afterAll(async () => {
  stop.abort()
  await server.stop(true)
  await database[Symbol.asyncDispose]()
  await rm(dir, { recursive: true })
})

/** A request whose target and header lines go out as they are written here. */
const send = (target: string, lines: readonly string[] = [`Host: ${host}`], method = 'GET') =>
  rawRequest(
    server.port ?? 0,
    `${[`${method} ${target} HTTP/1.1`, ...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`,
  )
const visit = (target: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(new URL(target, `http://${host}:${server.port}`), {
    method,
    headers: { 'accept-encoding': 'identity', ...headers },
    redirect: 'manual',
  })

describe('hosts (H31)', () => {
  const facts: [string, () => string[], number][] = [
    ['the site’s own', () => [`Host: ${host}`], 200],
    ['with dot and port, in capitals', () => [`HOST: ${host.toUpperCase()}.:80`], 200],
    ['with an empty port', () => [`Host: ${host}:`], 200],
    ['another site’s', () => ['Host: s--aaaaaaaaaaaaaaaaaaaaaaaaaa.localhost'], 404],
    ['two lines', () => [`Host: ${host}`, `Host: ${host}`], 400],
    ['two lines, the second empty', () => [`Host: ${host}`, 'Host:'], 400],
    ['none', () => [], 400],
    ['empty', () => ['Host:'], 400],
    ['with a user', () => [`Host: a@${host}`], 400],
    ['with a path', () => [`Host: ${host}/x`], 400],
    ['unicode', () => ['Host: exämple.localhost'], 400],
    ['300 characters', () => [`Host: ${'a'.repeat(300)}`], 400],
    ['only in X-Forwarded-Host', () => ['Host: x.localhost', `X-Forwarded-Host: ${host}`], 404],
  ]
  for (const [what, lines, status] of facts) {
    test(`${what}: ${status}`, async () => expect((await send('/', lines())).status).toBe(status))
  }
})

describe('paths (H30)', () => {
  const facts: [string, number, string?][] = [
    ['/', 200, '<h1>home</h1>'],
    ['/index.html?x=y', 200, '<h1>home</h1>'],
    ['http://evil.com/plain.png', 200, 'png'],
    ['/x/../plain.png', 200, 'png'],
    ['/x/%2e%2e/plain.png', 200, 'png'],
    ['/../../../plain.png', 200, 'png'],
    ['//plain.png', 200, 'png'],
    ['//evil.com', 200, 'ours'],
    ['/\\evil.com', 200, 'ours'],
    ['/%C3%BC.html', 200, 'u'],
    ['/u%CC%88.html', 200, 'u'],
    ['/ü.html', 200, 'u'],
    ['//evil.com/x', 404],
    ['/a/..%2f..%2fetc/passwd', 400],
    ['/%2fetc/passwd', 400],
    ['/a%5Cb', 400],
    ['/%00', 400],
    ['/a%zz', 400],
    ['/%', 400],
    ['/%ff', 400],
    ['/%252e%252e', 404],
    [`/${'a'.repeat(4095)}`, 404],
    [`/${'a'.repeat(4096)}`, 414],
    ['x', 400],
  ]
  for (const [target, status, body] of facts) {
    test(`${target.slice(0, 40)}: ${status}`, async () => {
      const response = await send(target)
      expect(response.status).toBe(status)
      if (body !== undefined) expect(response.body.toString()).toBe(body)
      expect(response.headers['location']).toBeUndefined()
    })
  }

  test('no page of ours repeats anything of the request', async () => {
    for (const target of ['/zebra%zz?zebra', '/zebra?zebra', `/${'zebra'.repeat(900)}`]) {
      const { body } = await send(target, [`Host: ${host}`, 'Referer: zebra', 'User-Agent: zebra'])
      expect(body.toString()).not.toContain('zebra')
    }
  })
})

describe('HEAD', () => {
  const facts: [string, Record<string, string>, string][] = [
    ['/', {}, '13'],
    ['/plain.png', {}, '3'],
    ['/empty.txt', {}, '0'],
    ['/large.bin', {}, String(large.length)],
    ['/large.txt', {}, String(large.length)],
  ]
  for (const [path, headers, length] of facts) {
    test(`${path} says ${length} bytes and sends none`, async () => {
      const response = await send(path, [`Host: ${host}`], 'HEAD')
      expect([response.status, response.body.length]).toEqual([200, 0])
      expect(response.headers['content-length']).toBe(length)
      const get = await visit(path, headers)
      expect(response.headers['etag']).toBe(get.headers.get('etag') ?? 'none')
      expect((await get.bytes()).length).toBe(Number(length))
    })
  }

  test('what GET would not find neither does HEAD', async () => {
    const response: RawResponse = await send('/nothing', [`Host: ${host}`], 'HEAD')
    expect([response.status, response.body.length]).toEqual([404, 0])
  })
})

describe('files', () => {
  for (const path of ['/large.bin', '/large.txt']) {
    for (const coding of ['gzip', 'identity']) {
      test(`${path} arrives whole as ${coding}`, async () => {
        const response = await visit(path, { 'accept-encoding': coding })
        const isCoded = coding === 'gzip' && path === '/large.txt'
        expect(response.headers.get('content-encoding')).toBe(isCoded ? 'gzip' : null)
        // Bun would name the download after the file in our store.
        expect(response.headers.get('content-disposition')).toBe('inline')
        expect(Bun.hash(await response.bytes())).toBe(Bun.hash(large))
      })
    }
  }

  test('a second visit is 304, of the same coding only', async () => {
    const etag = (await visit('/')).headers.get('etag') ?? ''
    expect((await visit('/', { 'if-none-match': etag })).status).toBe(304)
    expect((await visit('/', { 'if-none-match': etag, 'accept-encoding': 'gzip' })).status).toBe(
      200,
    )
  })

  test('a text is sent as brotli, once that is made', async () => {
    const headers = { 'accept-encoding': 'gzip, br' }
    const before = await visit('/text.css', headers)
    expect(await before.text()).toBe(css)
    await recompressor.idle()
    const after = await visit('/text.css', headers)
    const codings = [before, after].map((response) => response.headers.get('content-encoding'))
    expect(codings).toEqual([null, 'br'])
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'))
    expect(await after.text()).toBe(css)
  })

  test('neither cookies nor credentials, for any origin', async () => {
    const response = await visit('/', { origin: 'https://else.where', cookie: 'did=x' })
    expect(response.headers.get('set-cookie')).toBeNull()
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-allow-credentials')).toBeNull()
  })

  test('OPTIONS and other methods', async () => {
    const [options, post, lost] = await Promise.all([
      visit('/', {}, 'OPTIONS'),
      visit('/', {}, 'POST'),
      visit('/nothing', {}, 'POST'),
    ])
    expect([options.status, post.status, lost.status]).toEqual([204, 405, 404])
    expect(post.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
  })
})

describe('ranges', () => {
  const size = large.length
  for (const path of ['/large.bin', '/large.txt']) {
    const facts: [string, number, Uint8Array][] = [
      ['bytes=10-19', 206, large.slice(10, 20)],
      [`bytes=${size - 3}-`, 206, large.slice(-3)],
      // Bun answers them by itself where a body is a file.
      ['bytes=0-1,5-6', 200, large],
      ['bytes=5-2', 200, large],
    ]
    for (const [range, status, expected] of facts) {
      test(`${path} ${range}: ${status}`, async () => {
        const response = await send(path, [`Host: ${host}`, `Range: ${range}`])
        expect(response.status).toBe(status)
        if (path === '/large.txt') return
        expect(Bun.hash(new Uint8Array(response.body))).toBe(Bun.hash(expected))
      })
      test(`${path} ${range}, read by a program`, async () => {
        const response = await visit(path, { range })
        expect(Bun.hash(await response.bytes())).toBe(Bun.hash(expected))
        expect(response.headers.get('accept-ranges')).toBe('bytes')
      })
    }
  }

  test('none such', async () => {
    const response = await visit('/large.bin', { range: `bytes=${size}-` })
    expect([response.status, response.headers.get('content-range')]).toEqual([
      416,
      `bytes */${size}`,
    ])
  })
})

test('visitors who do not read what they asked for hold next to nothing', async () => {
  const sockets = Array.from({ length: 30 }, () => connect(server.port ?? 0, '127.0.0.1'))
  const before = process.memoryUsage.rss()
  const begun = sockets.map(async (socket) => {
    socket.write(`GET /huge.txt HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
    await once(socket, 'data')
    socket.pause()
  })
  await Promise.all(begun)
  // Meanwhile somebody else gets all of it.
  expect((await (await visit('/huge.txt')).bytes()).length).toBe(huge.length)
  expect(process.memoryUsage.rss() - before).toBeLessThan(huge.length * 2)
  for (const socket of sockets) socket.destroy()
})

test('a site that is on its way is not here yet', async () => {
  const queued = siteOf('queued')
  await enqueueSites(askedAt(database.db, 1), [queued])
  passedMs += 1_000
  const response = await send('/', [`Host: ${siteLabel(queued)}.localhost`])
  expect([response.status, response.headers['retry-after']]).toEqual([503, '2'])
  expect(response.headers['cache-control']).toBe('no-store')
  await clearWork(database.db, 'site')
  passedMs += 1_000
  expect((await send('/', [`Host: ${siteLabel(queued)}.localhost`])).status).toBe(404)
})

describe('what fails here is a 503, and only for who asked for it', () => {
  test('bytes that are missing: the site is asked for again', async () => {
    const answer = visit('/lost.html')
    await eventually(async () => {
      const queued = await workRows(database.db, 'site')
      expect(queued.map(({ did, site }) => ({ did, name: site }))).toEqual([siteOf('blog')])
    }, 2000)
    passedMs += 5_000
    for (const [method, response] of [
      ['GET', await answer],
      ['HEAD', await visit('/lost.html', {}, 'HEAD')],
    ] as const) {
      expect(response.status).toBe(503)
      expect(response.headers.get('retry-after')).toBe('2')
      expect(response.headers.get('cache-control')).toBe('no-store')
      if (method === 'GET') expect(await response.text()).toContain('from its owner’s server')
    }
  })

  test('a header that cannot be sent', async () => {
    const response = await visit('/broken.html')
    expect(response.status).toBe(503)
    expect(response.headers.get('set-cookie')).toBeNull()
    expect(await response.text()).toContain('can’t be shown right now')
    expect(logged.at(-1)).toMatchObject({ level: 'error', message: 'visitor not answered' })
    expect((await visit('/plain.png')).status).toBe(200)
  })
})
