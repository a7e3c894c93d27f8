import { expect, test } from 'bun:test'
import { NameQuota } from './name-quota.ts'
import { pagePathOf, referrerHost, VisitCounts } from './visit-counts.ts'

for (const [file, path] of [
  ['index.html', '/'],
  ['blog/index.html', '/blog/'],
  ['blog/index.htm', '/blog/'],
  ['about.html', '/about.html'],
  ['my-index.html', '/my-index.html'],
] as const) {
  test(`${file} is ${path}`, () => expect(pagePathOf(file)).toBe(path))
}

for (const [referrer, host] of [
  ['https://news.example/item?id=1', 'news.example'],
  ['http://News.Example:8080', 'news.example'],
  ['https://blog.test/before', null],
  ['android-app://com.example/', null],
  ['https://user@news.example/', null],
  ['https://', null],
  ['about:client', null],
] as const) {
  test(`from ${referrer}: ${host}`, () => expect(referrerHost(referrer, 'blog.test')).toBe(host))
}

const page = (path: string) => ({ path, host: 'blog.test' })
const open = (...quotas: NameQuota[]) => new VisitCounts(1, quotas)

test('pages, referrers and classes of statuses are counted', () => {
  const visits = open()
  visits.countPage(page('/'), 'https://news.example/')
  visits.countPage(page('/'), null)
  for (const status of [200, 204, 304, 404, 503]) visits.countStatus(status)
  expect(visits.take(1)).toEqual([
    { kind: 'page', value: '/', count: 2 },
    { kind: 'referrer', value: 'news.example', count: 1 },
    { kind: 'status', value: '2xx', count: 2 },
    { kind: 'status', value: '3xx', count: 1 },
    { kind: 'status', value: '4xx', count: 1 },
    { kind: 'status', value: '5xx', count: 1 },
  ])
  expect(visits.take(1)).toEqual([])
})

const values = (visits: VisitCounts, day = 1) => visits.take(day).map(({ value }) => value)

test('a site has 200 pages and 50 referrers a day; the others are one row', () => {
  const visits = open()
  for (let n = 0; n < 203; n++) visits.countPage(page(`/${n}`), `https://${n}.example`)
  const taken = visits.take(1)
  const rows = (kind: string) => taken.filter((row) => row.kind === kind)
  expect(rows('page')).toHaveLength(201)
  expect(rows('page').at(-1)).toEqual({ kind: 'page', value: '', count: 3 })
  expect(rows('referrer').at(-1)).toEqual({ kind: 'referrer', value: '', count: 153 })
  visits.countPage(page('/new'), null)
  visits.countPage(page('/0'), null)
  expect(values(visits)).toEqual(['/0', ''])
})

test('who made up 55 referrers does not keep out one that visitors come from', () => {
  const visits = open()
  for (let n = 0; n < 55; n++) visits.countPage(page('/'), `https://casino-${n}.example/`)
  visits.take(1)
  for (let n = 0; n < 30; n++) visits.countPage(page('/'), 'https://news.example/')
  const referrers = visits.take(1).filter(({ kind }) => kind === 'referrer')
  expect(referrers).toEqual([
    { kind: 'referrer', value: 'news.example', count: 29 },
    { kind: 'referrer', value: '', count: 1 },
  ])
})

test('on another day there is room for others', () => {
  const visits = open()
  for (let n = 0; n < 200; n++) visits.countPage(page(`/${n}`), null)
  visits.take(2)
  visits.countPage(page('/new'), null)
  expect(values(visits, 2)).toEqual(['/new'])
})

for (const [whose, quotas] of [
  ['all sites', [new NameQuota(1), new NameQuota(9)]],
  ['the account', [new NameQuota(9), new NameQuota(1)]],
] as const) {
  test(`what ${whose} have left bounds each`, () => {
    const visits = open(...quotas)
    visits.countPage(page('/a'), null)
    visits.countPage(page('/b'), null)
    expect(values(visits)).toEqual(['/a', ''])
    values(visits, 2)
    visits.countPage(page('/b'), null)
    expect(values(visits, 2)).toEqual(['/b'])
  })
}

test('a site that was not saved since another day does not begin this one again', () => {
  const quota = new NameQuota(1)
  const late = open(quota)
  const visits = new VisitCounts(2, [quota])
  visits.countPage(page('/a'), null)
  late.countPage(page('/b'), null)
  visits.countPage(page('/c'), null)
  expect([...values(visits, 2), ...values(late, 2)]).toEqual(['/a', '', ''])
})

test('what could not be saved is taken again', () => {
  const visits = open()
  visits.countPage(page('/'), null)
  visits.putBack(visits.take(1))
  visits.countPage(page('/'), null)
  expect(visits.take(1)).toEqual([{ kind: 'page', value: '/', count: 2 }])
})
