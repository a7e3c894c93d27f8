import { expect, test } from 'bun:test'
import { serveSite } from '#edge/edge.ts'
import { SiteInMemory } from '#edge/site-in-memory.ts'
import { servableSite } from '#site/visit/servable-site.ts'
import type { SiteTraffic, TrafficTotal } from '#store/sites/traffic.ts'
import { recordingLog } from '#tests/support/api.ts'
import { bob, siteOf } from '#tests/support/database/sample-rows.ts'
import { seen, visitedSite, visitSite } from '#tests/support/visitors/edge.ts'
import { snapshotOf } from '#tests/support/visitors/served-site.ts'
import { SiteShares } from './site-shares.ts'

const dayMs = 24 * 60 * 60 * 1000
const none = { requestsPerSecondMax: null, bytesPerDayMax: null }

function open(limits: Partial<ConstructorParameters<typeof SiteShares>[0]['limits']>) {
  const clock = { elapsed: 0, now: 12 * 60 * 60 * 1000 }
  const shares = new SiteShares({
    limits: { site: none, account: none, ...limits },
    elapsed: () => clock.elapsed,
    now: () => clock.now,
  })
  const stored = new Map<string, number>()
  const added: SiteTraffic[] = []
  /** As the database: sums, whoever adds. */
  const add = async (day: number, rows: readonly SiteTraffic[]): Promise<TrafficTotal[]> =>
    rows.map((row) => {
      added.push(row)
      const key = `${day} ${row.did}/${row.site}`
      stored.set(key, (stored.get(key) ?? 0) + row.bytes)
      return { did: row.did, site: row.site, bytes: stored.get(key) ?? 0 }
    })
  return { add, added, clock, shares, save: () => shares.save(add) }
}

/** Which of so many requests at once are answered. */
const answered = (share: ReturnType<SiteShares['of']>, count: number): number =>
  Array.from({ length: count }, () => share.take()).filter((refusal) => refusal === null).length

test('a site has its requests a second, after a burst of ten seconds’ worth', () => {
  const { clock, shares } = open({ site: { ...none, requestsPerSecondMax: 2 } })
  const blog = shares.of(siteOf('blog'))
  expect(answered(blog, 30)).toBe(20)
  expect(blog.take()).toEqual({ by: 'site_requests', retryAfterSeconds: 1 })
  clock.elapsed += 1_000
  expect(answered(blog, 30)).toBe(2)
  expect(shares.refusals.counts).toEqual({ site_requests: 10 + 1 + 28 })
})

test('the flood of one does not cost another', () => {
  const { shares } = open({ site: { ...none, requestsPerSecondMax: 2 } })
  answered(shares.of(siteOf('blog')), 1000)
  expect(answered(shares.of(siteOf('shop')), 30)).toBe(20)
})

test('an account’s sites share its requests, which refused ones do not cost', () => {
  const perSecond = (requestsPerSecondMax: number) => ({ ...none, requestsPerSecondMax })
  const { shares } = open({ site: perSecond(2), account: perSecond(3) })
  expect(answered(shares.of(siteOf('blog')), 100)).toBe(20)
  expect(answered(shares.of(siteOf('shop')), 100)).toBe(10)
  expect(shares.of(siteOf('shop')).take()).toMatchObject({ by: 'account_requests' })
  expect(answered(shares.of(siteOf('blog', bob)), 100)).toBe(20)
})

test('without limits nobody is refused', () => {
  const { shares } = open({})
  expect(answered(shares.of(siteOf('blog')), 100_000)).toBe(100_000)
})

test('a site keeps its share while it is loaded again', () => {
  const { shares } = open({})
  expect(shares.of(siteOf('blog'))).toBe(shares.of(siteOf('blog')))
})

test('who has sent the bytes of a day is back on the next', async () => {
  const { clock, save, shares } = open({ site: { ...none, bytesPerDayMax: 100 } })
  const blog = shares.of(siteOf('blog'))
  blog.take()
  blog.addBytes(99)
  await save()
  expect(blog.take()).toBeNull()
  blog.addBytes(1)
  await save()
  expect(blog.take()).toEqual({ by: 'site_bytes', retryAfterSeconds: 12 * 60 * 60 })
  clock.now += dayMs / 2
  await save()
  expect(blog.take()).toBeNull()
})

test('bytes that other processes sent count, and so do those of the account’s other sites', async () => {
  const { add, save, shares } = open({ account: { ...none, bytesPerDayMax: 100 } })
  const other = open({}).shares
  other.of(siteOf('shop')).addBytes(100)
  await other.save(add)
  const blog = shares.of(siteOf('blog'))
  expect(blog.take()).toBeNull()
  await save()
  expect(blog.take()).toMatchObject({ by: 'account_bytes' })
  expect(shares.of(siteOf('blog', bob)).take()).toBeNull()
})

test('counts are saved once; what could not be saved is part of the next', async () => {
  const { added, save, shares } = open({})
  const blog = shares.of(siteOf('blog'))
  blog.take()
  blog.addBytes(7)
  await expect(shares.save(() => Promise.reject(new Error('away')))).rejects.toThrow('away')
  blog.take()
  shares.of(siteOf('shop')).take()
  await save()
  await save()
  const { did } = siteOf('blog')
  expect(added).toEqual([
    { did, site: '', requests: 3, bytes: 7, refused: 0 },
    { did, site: siteOf('blog').name, requests: 2, bytes: 7, refused: 0 },
    { did, site: siteOf('shop').name, requests: 1, bytes: 0, refused: 0 },
  ])
})

const window = 64 * 1024
for (const [what, bytes, afterMs, counted] of [
  ['within a window', window, 0, window],
  ['above a window, broken off at once', window + 1, 0, window],
  ['in memory, broken off at once', 2 ** 20, 0, window],
  ['of a large file, broken off', 10 ** 9, 8, window + 1_000_000],
  ['that was held long', 10 ** 9, 86_400_000, 10 ** 9],
] as const) {
  test(`a body ${what} counts ${counted} bytes`, () => {
    const { clock, shares } = open({})
    const blog = shares.of(siteOf('blog'))
    const hangUp = new AbortController()
    blog.addBody(bytes, hangUp)
    clock.elapsed += afterMs
    hangUp.abort()
    expect(blog.takeUnsaved().bytes).toBe(counted)
  })
}

const page = 'p'.repeat(1000)
const visited = visitedSite({
  'index.html': { body: page },
  'photo.jpg': { body: 'j'.repeat(2 ** 19), contentType: 'image/jpeg' },
  'big.bin': { body: 'b'.repeat(2 ** 21), contentType: 'application/zip' },
})
const noCoding = { 'accept-encoding': 'identity' }

for (const [what, path, options, bytes] of [
  ['a page', '/', {}, 1000],
  ['a part of it', '/', { headers: { ...noCoding, range: 'bytes=10-19' } }, 10],
  ['its head', '/', { method: 'HEAD' }, 0],
  ['that it did not change', '/', { headers: { 'if-none-match': '*' } }, 0],
  ['a part that it does not have', '/', { headers: { range: 'bytes=5000-' } }, 0],
  ['a large file', '/big.bin', {}, 2 ** 21],
  ['the head of a large file', '/big.bin', { method: 'HEAD' }, 0],
  ['a part of a large file', '/big.bin', { headers: { range: 'bytes=0-1048576' } }, 2 ** 20 + 1],
] as const) {
  test(`${what} counts ${bytes} bytes`, async () => {
    visited.known.share.takeUnsaved()
    await visitSite(visited, path, { headers: noCoding, ...options })
    expect(visited.known.share.takeUnsaved().bytes).toBe(bytes)
  })
}

for (const path of ['/photo.jpg', '/big.bin']) {
  test(`${path}, broken off, counts one window`, async () => {
    const { share } = visited.known
    await visitSite(visited, path, { headers: noCoding })
    share.takeUnsaved()
    const hangUp = new AbortController()
    await visitSite(visited, path, { headers: noCoding, signal: hangUp.signal })
    hangUp.abort()
    expect(share.takeUnsaved().bytes).toBe(window)
  })
}

for (const [what, path, options, counts] of [
  ['a page', '/', {}, ['/']],
  ['one that did not change', '/', { headers: { 'if-none-match': '*' } }, ['/']],
  [
    'one that a link led to',
    '/',
    { headers: { referer: 'https://a.example/b?c' } },
    ['/', 'a.example'],
  ],
  ['its head', '/', { method: 'HEAD' }, []],
  ['a part of it', '/', { headers: { range: 'bytes=0-1' } }, []],
  ['another file', '/big.bin', {}, []],
  ['a missing page', '/missing', {}, []],
] as const) {
  test(`${what} counts as a visit of ${counts.join(' from ') || 'nothing'}`, async () => {
    visited.known.share.takeUnsaved()
    await visitSite(visited, path, options)
    const { visits } = visited.known.share.takeUnsaved()
    expect(visits.map(({ value }) => value)).toEqual([...counts])
  })
}

test('the service’s own page for a missing address counts, its head does not', async () => {
  const { share } = visited.known
  share.takeUnsaved()
  const { body } = await seen(visitSite(visited, '/missing'))
  await visitSite(visited, '/missing', { method: 'HEAD' })
  expect(share.takeUnsaved().bytes).toBe(body.length)
})

test('visitors of a site beyond its share read why, on any of its hosts', async () => {
  const { shares } = open({ site: { ...none, requestsPerSecondMax: 1 } })
  const share = shares.of(siteOf('blog'))
  const known = new SiteInMemory(servableSite(snapshotOf({})), () => undefined, { share })
  const context = {
    ...visited.context,
    awaited: { has: async () => false },
    countryOf: () => null,
    gone: { get: async () => null },
    log: recordingLog([]),
    now: () => 0,
    snapshots: { get: () => known },
    takedowns: { get: async () => null },
  }
  const visit = async (host: string) => {
    const site = {
      kind: 'site',
      host,
      label: 's--x',
      isUnderBaseDomain: true,
      shows: 'live',
    } as const
    return await seen(serveSite(site, new Request(`http://${host}/`), context))
  }
  for (let request = 0; request < 10; request++) expect((await visit('a.test')).status).toBe(404)
  const { body, headers, status } = await visit('b.test')
  expect(status).toBe(429)
  expect(headers).toMatchObject({ 'retry-after': '1', 'cache-control': 'no-store' })
  expect(body.toString()).toContain('This site has too many visitors right now.')
  expect(share.takeUnsaved().visits).toEqual([{ kind: 'status', value: '4xx', count: 10 }])
})
