import { expect, test } from 'bun:test'
import { VisitorSketch } from '#site/visitor-sketch.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { recordVersion } from '#store/sites/record-version.ts'
import { addTraffic } from '#store/sites/traffic.ts'
import { addVisitors } from '#store/sites/visitors.ts'
import { addVisits } from '#store/sites/visits.ts'
import { testApi } from '#tests/support/api.ts'
import { alice, bob, nameOf, newVersion } from '#tests/support/database/sample-rows.ts'

const api = testApi()

async function ask(query = '', did = alice): Promise<[status: number, body: unknown]> {
  const headers = { cookie: await api().signedIn(did) }
  const response = await api().request(`/api/site/blog/visits${query}`, { headers })
  return [response.status, await response.json()]
}

test('a site’s visits by day, page, referrer and status, for its owner alone', async () => {
  const { db, now } = api()
  await upsertAccount(db, { did: alice }, 0)
  await recordVersion(db, newVersion(), 0)
  const today = Math.floor(now / (24 * 60 * 60 * 1000))
  const blog = { did: alice, site: nameOf('blog') }
  for (const day of [today - 1, today]) {
    await addTraffic(db, day, [{ ...blog, requests: 3, bytes: 9, refused: 1 }])
    await addVisits(db, day, [
      { ...blog, kind: 'page', value: '/', count: 2 },
      { ...blog, kind: 'page', value: '', count: 1 },
      { ...blog, kind: 'referrer', value: 'news.example', count: 1 },
      { ...blog, kind: 'country', value: 'DE', count: 2 },
      { ...blog, kind: 'status', value: '4xx', count: 1 },
      { ...blog, kind: 'status', value: '2xx', count: 2 },
    ])
    const sketch = new VisitorSketch()
    for (const hash of [1 << 8, 1 << 31]) sketch.add(hash)
    await addVisitors(db, day, [{ ...blog, sketch }])
  }
  const day = { requests: 3, bytes: 9, refused: 1, pageViews: 3, visitors: 2 }
  const counts = (times: number) => ({
    pages: [
      { path: '/', views: 2 * times },
      { path: null, views: times },
    ],
    referrers: [{ host: 'news.example', views: times }],
    countries: [{ country: 'DE', views: 2 * times }],
    statuses: [
      { status: '2xx', count: 2 * times },
      { status: '4xx', count: times },
    ],
  })
  expect(await ask('?days=1')).toEqual([
    200,
    { since: '2030-01-01', days: [{ day: '2030-01-01', ...day }], ...counts(1) },
  ])
  expect(await ask()).toEqual([
    200,
    {
      since: '2029-12-03',
      days: [
        { day: '2029-12-31', ...day },
        { day: '2030-01-01', ...day },
      ],
      ...counts(2),
    },
  ])
  expect((await ask('', bob))[0]).toBe(404)
  expect(await ask('?days=91')).toMatchObject([400, {}])
})
