import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { Addresses } from '#edge/names/addresses.ts'
import { AwaitedSites } from '#edge/names/awaited-sites.ts'
import { GoneVersions } from '#edge/names/gone-versions.ts'
import { Hosts } from '#edge/names/hosts.ts'
import { Previews } from '#edge/names/previews.ts'
import { createRouter } from '#edge/names/route.ts'
import { Takedowns } from '#edge/names/takedowns.ts'
import { siteLabel } from '#site/site-address.ts'
import { followChanges } from '#store/database/change-feed.ts'
import { appendChange, appendHostChange } from '#store/database/changes.ts'
import type { Database } from '#store/database/database.ts'
import { WakeUps } from '#store/database/wake-ups.ts'
import { putTakedown } from '#store/moderation/takedowns.ts'
import { claimSubdomain, mapSubdomain } from '#store/names/subdomains.ts'
import { recordingLog } from '#tests/support/api.ts'
import { memoryDatabase } from '#tests/support/database/databases.ts'
import { alice, nameOf, siteOf } from '#tests/support/database/sample-rows.ts'
import { eventually } from '#tests/support/eventually.ts'
import { originOf, visitedSite } from '#tests/support/visitors/edge.ts'
import { serveNamed, serveSite } from './edge.ts'
import { forgetChanged, SiteCache } from './site-cache.ts'

const baseDomain = 'sites.test'
const routeOf = createRouter({ applicationHost: 'app.test', baseDomain })
const blog = siteOf('blog')
const ownHost = `${siteLabel(blog)}.${baseDomain}`
const claimed = `blog.${baseDomain}`

let database: Database
let queries: ReturnType<typeof countQueries>
let edge: ReturnType<typeof openEdge>
let time: number
beforeEach(async () => {
  database = await memoryDatabase()
  time = 0
  edge = openEdge()
})
afterEach(() => database[Symbol.asyncDispose]())

function openEdge() {
  queries = countQueries()
  const context = { baseDomain, elapsed: () => time, log: recordingLog(), now: () => 1, originOf }
  const { db } = database
  return {
    ...visitedSite({}).context,
    ...context,
    awaited: new AwaitedSites({ db, now: () => time }),
    countryOf: () => null,
    gone: new GoneVersions({ ...context, db }),
    hosts: new Hosts({ ...context, db }),
    previews: new Previews({ ...context, db }),
    snapshots: new SiteCache({
      ...{ ...context, db, bytesMax: 1_000_000, earlierBytesMax: 1_000_000 },
      onUnreadable: () => undefined,
    }),
    addresses: new Addresses({ ...context, db }),
    takedowns: new Takedowns({ ...context, db }),
  }
}

const countQueries = () => spyOn(database.db.getExecutor(), 'executeQuery').mock.calls

async function visit(host: string): Promise<number> {
  const route = routeOf(host)
  const request = new Request(`http://${host}/`)
  if (route.kind === 'site') return (await serveSite(route, request, edge)).status
  if (route.kind === 'named') return (await serveNamed(route, request, edge)).status
  throw new TypeError(route.kind)
}

async function takeDown(): Promise<void> {
  const facts = { status: 451, reason: 'x', actor: 'ruth', at: 1 } as const
  await putTakedown(database.db, { did: alice, site: nameOf('blog'), ...facts })
}

async function claim(): Promise<void> {
  await claimSubdomain(database.db, { did: alice, domain: claimed }, { subdomainsMax: 3, now: 1 })
  await mapSubdomain(database.db, { did: alice, domain: claimed }, nameOf('blog'), 1)
}

describe('a thousand visits within a second cost as many queries as one:', () => {
  const facts: [what: string, host: string, prepare: () => Promise<void>, status: number][] = [
    ['a site that is not here', ownHost, async () => {}, 404],
    ['a site that is taken down', ownHost, takeDown, 451],
    ['a name that nobody has', claimed, async () => {}, 404],
    ['a domain that nobody has', 'nobody.test', async () => {}, 404],
  ]
  test.each(facts)('%s', async (_, host, prepare, status) => {
    await prepare()
    const before = queries.length
    expect(await visit(host)).toBe(status)
    const ofOne = queries.length - before
    expect(ofOne).toBeWithin(1, 4)
    for (let n = 0; n < 1000; n++) expect(await visit(host)).toBe(status)
    expect(queries).toHaveLength(before + ofOne)
    time = 1000
    await visit(host)
    expect(queries).toHaveLength(before + 2 * ofOne)
  })
})

test('what changes meanwhile is seen at once', async () => {
  const stop = new AbortController()
  const wakeUps = new WakeUps()
  const feed = { db: database.db, wakeUps, log: recordingLog(), signal: stop.signal }
  const following = followChanges([forgetChanged(edge)], feed)
  for (const host of [ownHost, claimed]) expect(await visit(host)).toBe(404)
  await claim()
  await takeDown()
  await appendHostChange(database.db, claimed, 1)
  await appendChange(database.db, blog, 1)
  wakeUps.notify('changes')
  for (const host of [ownHost, claimed]) {
    await eventually(async () => expect(await visit(host)).toBe(451))
  }
  stop.abort()
  await following
})
