import { expect, test } from 'bun:test'
import { brotliDecompressSync } from 'node:zlib'
import { FileAnswer } from '#edge/files/file-answer.ts'
import type { Place } from '#site/visit/place.ts'
import { servableSite } from '#site/visit/servable-site.ts'
import { seen, visitedSite, visitSite } from '#tests/support/visitors/edge.ts'
import { snapshotOf, storedFile } from '#tests/support/visitors/served-site.ts'
import { OwnPages } from './pages.ts'
import { SiteInMemory } from './site-in-memory.ts'

const { file } = storedFile({ body: 'x' })
const decision = {
  kind: 'file',
  status: 200,
  path: 'a.html',
  file,
  isForEveryone: true,
  vary: [],
} as const
const placeOn = (host: string): Place => ({
  host,
  pathname: '/a.html',
  isUnderBaseDomain: true,
  shows: 'live',
  canonical: null,
})

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)

function open() {
  const grown: number[] = []
  const site = servableSite(snapshotOf({ 'a.html': file, 'b.html': file }))
  return { grown, site, known: new SiteInMemory(site, (bytes) => grown.push(bytes)) }
}

test('a file has one answer a host, which counts once', () => {
  const { grown, known } = open()
  const answer = known.answerTo(decision, placeOn('a.test'))
  expect(known.answerTo({ ...decision }, placeOn('a.test'))).toBe(answer)
  expect(known.answerTo(decision, placeOn('b.test'))).not.toBe(answer)
  expect(grown).toEqual([answer.bytes, answer.bytes])
})

test('one for another status or other visitors takes its place', () => {
  const { grown, known } = open()
  const answer = known.answerTo(decision, placeOn('a.test'))
  for (const other of [
    { ...decision, status: 404 as const },
    { ...decision, vary: ['cookie'] },
  ]) {
    expect(known.answerTo(other, placeOn('a.test'))).not.toBe(answer)
  }
  const last = known.answerTo({ ...decision, vary: ['cookie'] }, placeOn('a.test'))
  expect(sum(grown)).toBe(last.bytes)
})

test('four addresses a file are remembered, of more the first', () => {
  const { grown, known, site } = open()
  const answer = new FileAnswer(site, decision, placeOn('a.test'))
  for (let i = 0; i < 20; i++) known.remember(`http://a.test:${i}/a.html`, answer)
  expect(known.answerAt('http://a.test:7/a.html')).toBe(answer)
  expect(known.answerAt('http://a.test:8/a.html')).toBeUndefined()
  expect(grown).toHaveLength(8)
})

test('a listing counts once a kind', () => {
  const { grown, known } = open()
  const pages = new OwnPages(null)
  const listing = { kind: 'listing', status: 200, path: 'd', entries: [], vary: [] } as const
  const { body } = known.listingOf(listing, 'page', pages)
  known.listingOf(listing, 'page', pages)
  expect(grown).toHaveLength(1)
  expect(sum(grown)).toBeGreaterThan(body.size)
  known.listingOf(listing, 'json', pages)
  expect(grown).toHaveLength(2)
})

test('what nobody needs twice crowds no address out', async () => {
  const site = visitedSite({ 'index.html': { body: 'x' }, 'a.html': { body: 'a' } })
  for (let i = 0; i < 20; i++) {
    await seen(visitSite(site, `/#${i}`))
    await seen(visitSite(site, `/?${i}`))
    await seen(visitSite(site, `http://blog.test:${1000 + i}/`))
  }
  await seen(visitSite(site, '/a.html'))
  expect(site.known.answerAt('http://blog.test/a.html')).toBeDefined()
})

test('an endless Accept-Encoding is kept with no file', async () => {
  const site = visitedSite({ 'a.html': { body: 'a', gzip: true } })
  for (const [length, isKept] of [
    [200, true],
    [201, false],
  ] as const) {
    const header = 'gzip'.padEnd(length, ',')
    await seen(visitSite(site, '/a.html', { headers: { 'accept-encoding': header } }))
    const answer = site.known.answerAt('http://blog.test/a.html')
    expect(answer?.lastFor(header) !== null).toBe(isKept)
  }
})

test('an address is remembered without its query', async () => {
  const site = visitedSite({ 'a.html': { body: 'a' } })
  for (const path of ['/a.html?b', '/nothing']) await seen(visitSite(site, path))
  expect(site.known.answerAt('http://blog.test/a.html')).toBeDefined()
  expect(site.known.answerAt('http://blog.test/a.html?b')).toBeUndefined()
  expect(site.known.answerAt('http://blog.test/nothing')).toBeUndefined()
})

test('a coding that had to go is sent no more, and then made again', async () => {
  const css = 'a { color: red }\n'.repeat(200)
  const site = visitedSite({ 'a.css': { body: css, contentType: 'text/css' } }, {}, 10_000)
  const visit = async () => {
    const sent = await seen(visitSite(site, '/a.css', { headers: { 'accept-encoding': 'br' } }))
    const isCoded = sent.headers['content-encoding'] === 'br'
    expect((isCoded ? brotliDecompressSync(sent.body) : sent.body).toString()).toBe(css)
    return isCoded
  }
  expect(await visit()).toBe(false)
  await site.context.recompressor.idle()
  expect([await visit(), await visit()]).toEqual([true, true])
  for (const hash of ['1', '2', '3']) {
    site.context.bodies.keep(
      { hash, coding: 'identity' },
      'identity',
      new Blob(['x'.repeat(9_000)]),
    )
  }
  expect(await visit()).toBe(false)
  await site.context.recompressor.idle()
  expect(await visit()).toBe(true)
})
