import { expect, test } from 'bun:test'
import { serveSite } from '#edge/edge.ts'
import { SiteInMemory } from '#edge/site-in-memory.ts'
import { servableSite } from '#site/visit/servable-site.ts'
import { recordingLog } from '#tests/support/api.ts'
import { siteOf } from '#tests/support/database/sample-rows.ts'
import { seen, visitedSite, visitSite } from '#tests/support/visitors/edge.ts'
import { snapshotOf } from '#tests/support/visitors/served-site.ts'
import type { ShareLimits } from './site-share.ts'
import { SiteShares } from './site-shares.ts'

const page = 'p'.repeat(1000)
const visited = visitedSite({
  'index.html': { body: page },
  'photo.jpg': { body: 'j'.repeat(2 ** 19), contentType: 'image/jpeg' },
  'big.bin': { body: 'b'.repeat(2 ** 21), contentType: 'application/zip' },
})
const none = { requestsPerSecondMax: null, bytesPerDayMax: null }
const shareOf = (site: ShareLimits) =>
  new SiteShares({ limits: { site, account: none }, elapsed: () => 0, now: () => 0 }).of(
    siteOf('blog'),
  )
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
    expect(share.takeUnsaved().bytes).toBe(64 * 1024)
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

const app = 'https://app.example'
for (const [what, headers, views] of [
  [
    'the frame in which the application shows a site',
    { referer: `${app}/`, 'sec-fetch-dest': 'iframe' },
    0,
  ],
  ['a link of the application', { referer: `${app}/`, 'sec-fetch-dest': 'document' }, 1],
  ['a frame of another page', { referer: 'https://web.example/', 'sec-fetch-dest': 'iframe' }, 1],
  ['a frame without a referrer', { 'sec-fetch-dest': 'iframe' }, 1],
] as const) {
  test(`${what} counts as ${views} views`, async () => {
    const limits = { site: none, account: none }
    const shares = new SiteShares({ limits, appOrigin: app, elapsed: () => 0, now: () => 0 })
    const share = shares.of(siteOf('blog'))
    const known = new SiteInMemory(visited.known.site, () => undefined, { share })
    await visitSite({ known, context: visited.context }, '/', { headers })
    const pages = share.takeUnsaved().visits.filter(({ kind }) => kind === 'page')
    expect(pages.reduce((sum, { count }) => sum + count, 0)).toBe(views)
  })
}

for (const path of ['/photo.jpg', '/big.bin']) {
  test(`a network that has taken its part does not get ${path}, others do`, async () => {
    const share = shareOf({ ...none, bytesPerDayMax: 1_000_000 })
    const { site } = visited.known
    const known = new SiteInMemory(site, () => undefined, { share })
    const statusFor = async (network: string, method = 'GET') => {
      const context = { ...visited.context, networkOf: () => network }
      return (await visitSite({ known, context }, path, { headers: noCoding, method })).status
    }
    expect(await statusFor('192.0.2.1')).toBe(200)
    expect(await statusFor('192.0.2.1')).toBe(429)
    expect(await statusFor('192.0.2.1', 'HEAD')).toBe(200)
    expect(await statusFor('192.0.2.2')).toBe(200)
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
  const share = shareOf({ ...none, requestsPerSecondMax: 1 })
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
