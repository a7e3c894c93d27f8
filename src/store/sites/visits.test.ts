import { beforeEach, expect, test } from 'bun:test'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { alice, bob, nameOf, newVersion, siteOf } from '#tests/support/database/sample-rows.ts'
import { recordVersion } from './record-version.ts'
import { removeSite } from './remove-site.ts'
import { sweepTraffic } from './traffic.ts'
import { addVisits, listAllVisits, listVisits, pageViewsByDay, type SiteVisits } from './visits.ts'

onEachStore('store/sites/visits', (db) => {
  const blog = siteOf('blog')
  const visit = (value: string, count: number, facts: Partial<SiteVisits> = {}): SiteVisits => {
    return { did: alice, site: nameOf('blog'), kind: 'page', value, count, ...facts }
  }
  const pages = (since: number, limit = 9) => listVisits(db(), blog, { kind: 'page', limit, since })
  beforeEach(async () => {
    await upsertAccount(db(), { did: alice }, 1)
    await recordVersion(db(), newVersion({ site: blog }), 1)
  })

  test('counts of a day add up, and those of several days are listed together', async () => {
    await addVisits(db(), 7, [
      visit('/', 1),
      visit('/b', 5),
      visit('x.example', 9, { kind: 'referrer' }),
    ])
    await addVisits(db(), 7, [visit('/', 2)])
    await addVisits(db(), 8, [visit('/', 4)])
    expect(await pages(7)).toEqual([
      { value: '/', count: 7 },
      { value: '/b', count: 5 },
    ])
    expect(await pages(8)).toEqual([{ value: '/', count: 4 }])
    expect(await pageViewsByDay(db(), blog, 7)).toEqual([
      { day: 7, count: 8 },
      { day: 8, count: 4 },
    ])
    expect(await listAllVisits(db(), blog)).toHaveLength(4)
  })

  test('the most visited are listed, and all others are one row', async () => {
    await addVisits(db(), 7, [visit('', 50), visit('/a', 3), visit('/b', 2), visit('/c', 1)])
    expect(await pages(7, 2)).toEqual([
      { value: '/a', count: 3 },
      { value: '/b', count: 2 },
      { value: '', count: 51 },
    ])
  })

  test('new names of an account with as many rows of the day count as others', async () => {
    await recordVersion(db(), newVersion({ site: siteOf('shop'), label: 'shop' }), 1)
    await addVisits(db(), 7, [visit('/a', 1), visit('/b', 1, { site: nameOf('shop') })], 2)
    const more = ['/a', '/c', '/d'].map((path) => visit(path, 1))
    await addVisits(db(), 7, [...more, visit('2xx', 1, { kind: 'status' })], 2)
    await addVisits(db(), 8, [visit('/c', 1)], 2)
    expect(await pages(7)).toEqual([
      { value: '/a', count: 2 },
      { value: '/c', count: 1 },
      { value: '', count: 2 },
    ])
    expect(await listVisits(db(), blog, { kind: 'status', limit: 9, since: 7 })).toHaveLength(1)
  })

  test('a removed site’s go with it; what is counted late is not stored', async () => {
    await addVisits(db(), 7, [visit('/', 1), visit('/', 1, { did: bob })])
    expect(await listAllVisits(db(), siteOf('blog', bob))).toEqual([])
    await removeSite(db(), blog, '9', 2)
    await addVisits(db(), 7, [visit('/', 1)])
    expect(await listAllVisits(db(), blog)).toEqual([])
  })

  test('earlier days are swept', async () => {
    for (const day of [7, 8]) await addVisits(db(), day, [visit('/', 1)])
    await sweepTraffic(db(), 8)
    expect(await listAllVisits(db(), blog)).toMatchObject([{ day: 8 }])
  })
})
