import { describe, expect, test } from 'bun:test'
import type { Did, SiteAddress } from '#site/site-address.ts'
import { chunksOf } from '#store/database/chunks.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { accountOf, alice, bob, siteOf } from '#tests/support/database/sample-rows.ts'
import { listReports } from './list-reports.ts'
import {
  addReport,
  countOpenReports,
  handleReport,
  type NewReport,
  openReportsMax,
  openReportsOfAccountMax,
  type Report,
  type ReportBounds,
} from './reports.ts'

onEachStore('store/moderation/reports', (db) => {
  const report: NewReport = {
    url: 'https://blog.example/x',
    site: siteOf('blog'),
    kind: 'phishing',
    text: 'It asks for my bank’s password.',
    contact: null,
    networkHash: 'net-1',
  }
  const add = (facts: Partial<NewReport> = {}, now = 1) =>
    addReport(db(), { ...report, ...facts }, now)
  const open = () => listReports(db(), { state: 'open', limit: 100 })
  const handle = (id: number, keptMax?: number) =>
    handleReport(db(), id, { handledBy: 'ruth', outcome: 'taken down', now: 9 }, keptMax)

  test('one network’s open report of a site is one, with its first texts', async () => {
    expect(await add()).toBe('stored')
    const texts = { url: 'https://blog.example/y', text: 'Fine now.', contact: 'me@example.org' }
    expect(await add(texts, 5)).toBe('merged')
    const { url, text, contact } = report
    expect(await open()).toMatchObject([{ at: 1, lastAt: 5, times: 2, url, text, contact }])
  })

  test('another network, kind, site or account makes another report', async () => {
    await add()
    for (const facts of [
      { networkHash: 'net-2' },
      { kind: 'malware' as const },
      { site: siteOf('other') },
      { site: siteOf('blog', bob) },
    ]) {
      expect(await add(facts)).toBe('stored')
    }
    expect(await countOpenReports(db())).toBe(5)
  })

  test('one of many concurrent reports of a network is stored', async () => {
    const outcomes = await Promise.all(Array.from({ length: 9 }, () => add()))
    expect(outcomes.filter((outcome) => outcome === 'stored')).toHaveLength(1)
    expect(await open()).toMatchObject([{ times: 9 }])
  })

  const bounded = (facts: Partial<ReportBounds>) => {
    const bounds = { openMax: 9, ofAccountMax: 9, ofNetworkMax: 9, ...facts }
    let networks = 0
    return (site: SiteAddress, { text = '', networkHash = `n${networks++}` } = {}) =>
      addReport(db(), { ...report, site, text, networkHash }, 1, bounds)
  }
  const openSites = async () => (await open()).map(({ did, site }) => `${did}/${site}`).sort()
  const texts = async () => (await open()).map(({ text }) => text)

  test('a network has a limited number of open reports, also about several accounts', async () => {
    const add = bounded({ ofNetworkMax: 2 })
    const one = { networkHash: 'one' }
    const sites = [siteOf('a'), siteOf('b', bob), siteOf('c'), siteOf('a')]
    const outcomes = []
    for (const site of sites) outcomes.push(await add(site, one))
    expect(outcomes).toEqual(['stored', 'stored', 'network-full', 'merged'])
    expect(await add(siteOf('c'), { networkHash: 'other' })).toBe('stored')
    for (const { id } of await open()) await handle(id)
    expect(await add(siteOf('c'), one)).toBe('stored')
  })

  test('an account at its limit gets a report in place of the newest of its most reported site', async () => {
    const add = bounded({ ofAccountMax: 4 })
    await add(siteOf('few'), { text: 'few' })
    for (const text of ['1', '2', '3']) await add(siteOf('most'), { text })
    expect(await add(siteOf('new'), { text: 'new' })).toBe('replaced')
    expect(await texts()).toEqual(['new', '2', '1', 'few'])
    expect(await add(siteOf('most'), { text: '4' })).toBe('replaced')
    expect(await texts()).toEqual(['4', 'new', '1', 'few'])
    expect(await add(siteOf('most', bob))).toBe('stored')
  })

  test('beyond the limit of open reports, a site without one still gets one', async () => {
    const add = bounded({ openMax: 3 })
    for (const name of ['a', 'b']) await add(siteOf(name, bob))
    await add(siteOf('blog'))
    expect(await add(siteOf('other'))).toBe('replaced')
    expect(await openSites()).toEqual([`${alice}/blog`, `${alice}/other`, `${bob}/a`])
    expect([await add(siteOf('other')), await add(siteOf('a', bob))]).toEqual(['full', 'full'])
    expect(await countOpenReports(db())).toBe(3)
  })

  test('an account at its limit gets reports even beyond the limit of all', async () => {
    const add = bounded({ openMax: 2, ofAccountMax: 2 })
    for (const text of ['1', '2']) await add(siteOf('blog'), { text })
    expect(await add(siteOf('blog'), { text: '3' })).toBe('replaced')
    expect(await texts()).toEqual(['3', '1'])
  })

  test('the bounds are 300 for an account and 10 000 for all', async () => {
    await add()
    const [{ id: _, ...row } = { id: 0 }] = await open()
    const insert = async (count: number, did: (n: number) => Did) => {
      const rows = Array.from({ length: count }, (_, n) => ({ ...row, did: did(n) }) as Report)
      for (const chunk of chunksOf(rows)) await db().insertInto('reports').values(chunk).execute()
    }
    const from = (networkHash: string) => add({ networkHash })
    await insert(openReportsOfAccountMax - 2, () => alice)
    expect([await from('a'), await from('b')]).toEqual(['stored', 'replaced'])
    await insert(openReportsMax - openReportsOfAccountMax - 1, accountOf)
    const ofBob = (name: string) => add({ site: siteOf(name, bob), networkHash: `of ${name}` })
    expect([await ofBob('a'), await ofBob('b')]).toEqual(['stored', 'replaced'])
    expect(await countOpenReports(db())).toBe(10_000)
  })

  test('a handled report names who handled it, and no network', async () => {
    await add()
    const [{ id } = { id: 0 }] = await open()
    expect(await handle(id)).toMatchObject({ state: 'handled', handledBy: 'ruth', handledAt: 9 })
    expect(await handle(id)).toBeNull()
    expect(await listReports(db(), { state: 'handled', limit: 9 })).toMatchObject([
      { outcome: 'taken down', networkHash: null },
    ])
    expect([await countOpenReports(db()), await add()]).toEqual([0, 'stored'])
  })

  test('the oldest handled reports go', async () => {
    for (const networkHash of ['a', 'b', 'c']) await add({ networkHash })
    for (const { id } of (await open()).toReversed()) await handle(id, 2)
    const left = await listReports(db(), { limit: 9 })
    expect(left).toHaveLength(2)
  })

  test('reports are listed newest first, page by page', async () => {
    for (const name of ['a', 'b', 'c']) await add({ site: siteOf(name) })
    const first = await listReports(db(), { limit: 2 })
    const rest = await listReports(db(), { limit: 2, before: first.at(-1)?.id })
    expect([...first, ...rest].map(({ site }) => String(site))).toEqual(['c', 'b', 'a'])
  })
  describe('a search', () => {
    const sites = async (query: Omit<Parameters<typeof listReports>[1], 'limit'>) =>
      (await listReports(db(), { limit: 9, ...query })).map(({ site }) => String(site))

    const asIn: [search: string, found: string[]][] = [
      ['PASSWORD', ['c', 'b', 'a']],
      ['c.example/login', ['c']],
      ['me@example.org', ['b']],
      ['taken down', ['a']],
      ['ruth', ['a']],
      [bob, ['b']],
      ['100 %', []],
    ]
    test.each(asIn)('for %s', async (search, found) => {
      await add({ site: siteOf('a') })
      for (const { id } of await open()) await handle(id)
      await add({ site: siteOf('b', bob), contact: 'me@example.org' })
      await add({ site: siteOf('c'), url: 'https://c.example/login', kind: 'malware' })
      expect(await sites({ search })).toEqual(found)
    })

    test('within a state and a kind, page by page', async () => {
      const names = ['a', 'b', 'c', 'd']
      for (const name of names) await add({ site: siteOf(name), networkHash: name })
      await add({ site: siteOf('e'), kind: 'malware' })
      await handle((await open()).at(-1)?.id ?? 0)
      const query = { state: 'open', kind: 'phishing', search: 'bank' } as const
      expect(await sites(query)).toEqual(['d', 'c', 'b'])
      const [, second] = await listReports(db(), { ...query, limit: 2 })
      expect(await sites({ ...query, before: second?.id })).toEqual(['b'])
    })
  })
})
