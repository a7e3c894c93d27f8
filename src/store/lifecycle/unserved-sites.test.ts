import { afterEach, beforeEach, expect, test } from 'bun:test'
import { foreignNamespaces } from '#site/namespace.ts'
import type { SiteAddress } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import type { Database } from '#store/database/database.ts'
import { enqueueSites } from '#store/queues/enqueue.ts'
import { listSites } from '#store/sites/sites.ts'
import { memoryDatabase } from '#tests/support/database/databases.ts'
import { alice, siteOf } from '#tests/support/database/sample-rows.ts'
import { askedAt, workRows } from '#tests/support/database/work-rows.ts'
import { goLive, snapshotOf } from '#tests/support/visitors/served-site.ts'
import { dropUnservedSites } from './unserved-sites.ts'

const foreign: SiteAddress = { did: alice, name: 'place.wisp.fs/blog' as SiteName }

let database: Database
beforeEach(async () => {
  database = await memoryDatabase()
  for (const site of [siteOf('blog'), foreign]) {
    await goLive(database.db, snapshotOf({}, site))
    await enqueueSites(askedAt(database.db, 1), [site])
  }
})
afterEach(() => database[Symbol.asyncDispose]())

const present = async (): Promise<string[]> => [
  ...(await listSites(database.db, alice)).map(({ name }) => name),
  ...(await workRows(database.db, 'site')).map(({ site }) => String(site)),
]

test('sites of a network that is served stay', async () => {
  expect(await dropUnservedSites(database.db, foreignNamespaces, 2)).toBe(0)
  expect((await present()).sort()).toEqual(['blog', 'blog', foreign.name, foreign.name])
})

test('those of others go, and can come back', async () => {
  expect(await dropUnservedSites(database.db, [], 2)).toBe(1)
  expect(await present()).toEqual(['blog', 'blog'])
  await goLive(database.db, snapshotOf({}, foreign))
  expect(await present()).toContain(foreign.name)
})
