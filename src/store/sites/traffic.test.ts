import { beforeEach, expect, test } from 'bun:test'
import type { Did } from '#site/site-address.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { alice, bob, nameOf, newVersion, siteOf } from '#tests/support/database/sample-rows.ts'
import { recordVersion } from './record-version.ts'
import { removeSite } from './remove-site.ts'
import { addTraffic, listTraffic, type SiteTraffic, sweepTraffic } from './traffic.ts'

onEachStore('store/sites/traffic', (db) => {
  const day = 20_000
  const row = (site: string, bytes: number, did: Did = alice): SiteTraffic => {
    const name = site === '' ? site : nameOf(site)
    return { did, site: name, requests: 1, bytes, refused: 2 }
  }
  beforeEach(async () => {
    await upsertAccount(db(), { did: alice }, 1)
    await recordVersion(db(), newVersion({ site: siteOf('blog') }), 1)
  })

  test('counts add up, a day at a time, and the sums are returned', async () => {
    const sums = async (on: number, ...rows: SiteTraffic[]) =>
      Object.fromEntries((await addTraffic(db(), on, rows)).map(({ site, bytes }) => [site, bytes]))
    expect(await sums(day, row('', 5), row('blog', 5))).toEqual({ '': 5, blog: 5 })
    expect(await sums(day, row('', 7), row('blog', 7))).toEqual({ '': 12, blog: 12 })
    expect(await sums(day + 1, row('blog', 1))).toEqual({ blog: 1 })
    expect(await listTraffic(db(), alice, day)).toEqual([
      { did: alice, site: '', requests: 2, bytes: 12, refused: 4 },
      { did: alice, site: nameOf('blog'), requests: 2, bytes: 12, refused: 4 },
    ])
    expect(await listTraffic(db(), bob, day)).toEqual([])
  })

  test('two that add at the same time lose nothing', async () => {
    const rows = [row('', 1), row('blog', 1)]
    await Promise.all(Array.from({ length: 8 }, () => addTraffic(db(), day, rows)))
    expect((await listTraffic(db(), alice, day)).map(({ bytes }) => bytes)).toEqual([8, 8])
  })

  test('a day on which more was taken back than sent has no bytes', async () => {
    await addTraffic(db(), day, [row('blog', -5)])
    expect(await listTraffic(db(), alice, day)).toMatchObject([{ bytes: 0 }])
  })

  test('a removed site’s go with it; what is counted late is not stored', async () => {
    await addTraffic(db(), day, [row('', 5), row('blog', 5)])
    await removeSite(db(), siteOf('blog'), '9', 2)
    expect(await addTraffic(db(), day, [row('blog', 1), row('', 1, bob)])).toEqual([])
    expect(await listTraffic(db(), alice, day)).toMatchObject([{ site: '', bytes: 5 }])
  })

  test('earlier days are swept', async () => {
    for (const on of [day - 1, day]) await addTraffic(db(), on, [row('blog', 5)])
    await sweepTraffic(db(), day)
    expect(await listTraffic(db(), alice, day - 1)).toEqual([])
    expect(await listTraffic(db(), alice, day)).toHaveLength(1)
  })
})
