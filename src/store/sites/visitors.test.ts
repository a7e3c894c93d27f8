import { beforeEach, expect, test } from 'bun:test'
import { VisitorSketch } from '#site/visitor-sketch.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { openDatabase } from '#store/database/database.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { alice, bob, nameOf, newVersion, siteOf } from '#tests/support/database/sample-rows.ts'
import { recordVersion } from './record-version.ts'
import { removeSite } from './remove-site.ts'
import { sweepTraffic } from './traffic.ts'
import { addVisitors, endVisitorDays, visitorSalt, visitorsByDay } from './visitors.ts'

onEachStore('store/sites/visitors', (db, _, options) => {
  const blog = siteOf('blog')
  const visitors = (from: number, to: number, did = alice) => {
    const sketch = new VisitorSketch()
    for (let n = from; n < to; n++) sketch.add(Bun.hash.xxHash32(`visitor ${n}`))
    return { did, site: nameOf('blog'), sketch }
  }
  const counted = async (site = blog) => {
    return (await visitorsByDay(db(), site, 0)).map((row) => [row.day, row.visitors])
  }
  beforeEach(async () => {
    await upsertAccount(db(), { did: alice }, 1)
    await recordVersion(db(), newVersion({ site: blog }), 1)
  })

  test('visitors of a day count once, whichever process saw them', async () => {
    await addVisitors(db(), 7, [visitors(0, 6)])
    await addVisitors(db(), 7, [visitors(3, 9)])
    await addVisitors(db(), 7, [visitors(0, 9)])
    await addVisitors(db(), 8, [visitors(0, 2)])
    expect(await counted()).toEqual([
      [7, 9],
      [8, 2],
    ])
  })

  test('none is lost when processes store at the same time', async () => {
    await using others = openDatabase(options())
    const each = Array.from({ length: 8 }, (_, n) => visitors(n, n + 1))
    const ways = each.map((row, n) => addVisitors(n % 2 === 0 ? db() : others.db, 7, [row]))
    await Promise.all(ways)
    expect(await counted()).toEqual([[7, 8]])
  })

  test('of a day that is over only the number is kept', async () => {
    for (const day of [7, 8]) await addVisitors(db(), day, [visitors(0, 5)])
    await endVisitorDays(db(), 8)
    const rows = await db()
      .selectFrom('siteVisitors')
      .select(['day', 'sketch'])
      .orderBy('day')
      .execute()
    expect(rows.map(({ day, sketch }) => [day, sketch === null])).toEqual([
      [7, true],
      [8, false],
    ])
    // Of a process that saves late.
    await addVisitors(db(), 7, [visitors(5, 9)])
    expect(await counted()).toEqual([
      [7, 5],
      [8, 5],
    ])
  })

  test('a removed site’s go with it; who is counted late is not stored', async () => {
    await addVisitors(db(), 7, [visitors(0, 1), visitors(0, 1, bob)])
    expect(await counted(siteOf('blog', bob))).toEqual([])
    await removeSite(db(), blog, '9', 2)
    await addVisitors(db(), 7, [visitors(0, 1)])
    expect(await counted()).toEqual([])
  })

  test('earlier days are swept', async () => {
    for (const day of [7, 8]) await addVisitors(db(), day, [visitors(0, 1)])
    await sweepTraffic(db(), 8)
    expect(await counted()).toEqual([[8, 1]])
  })

  test('all processes have one salt a day, and nobody has one of a day before', async () => {
    const [first, second] = await Promise.all([visitorSalt(db(), 7), visitorSalt(db(), 7)])
    expect(second).toBe(first)
    const next = await visitorSalt(db(), 8)
    expect(next).not.toBe(first)
    expect(await db().selectFrom('visitorSalts').selectAll().execute()).toEqual([
      { day: 8, salt: next },
    ])
    await endVisitorDays(db(), 9)
    expect(await db().selectFrom('visitorSalts').selectAll().execute()).toEqual([])
  })
})
