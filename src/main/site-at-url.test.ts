import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type SiteAddress, siteLabel } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import { versionLabel } from '#site/version-label.ts'
import type { Database } from '#store/database/database.ts'
import { putTakedown } from '#store/moderation/takedowns.ts'
import { claimSubdomain, mapSubdomain } from '#store/names/subdomains.ts'
import { recordVersionRecord } from '#store/sites/version-records/record-version-record.ts'
import { memoryDatabase } from '#tests/support/database/databases.ts'
import { alice, nameOf, newVersionRecord, siteOf } from '#tests/support/database/sample-rows.ts'
import { goLive, snapshotOf } from '#tests/support/visitors/served-site.ts'
import { siteAtUrl } from './site-at-url.ts'

const blog = siteOf('blog')
const draft = siteOf('draft')
const theirs: SiteAddress = { did: alice, name: 'place.wisp.fs/theirs' as SiteName }
const version = versionLabel(draft, 'content')
const claimed = 'blog.sites.example'

let database: Database
beforeAll(async () => {
  database = await memoryDatabase()
  const { db } = database
  await goLive(db, snapshotOf({}, blog))
  await goLive(db, snapshotOf({}, theirs))
  const facts = { site: draft.name, label: version, manifest: null, alias: 'pr-12' }
  await recordVersionRecord(db, newVersionRecord(1, facts), 1)
  await claimSubdomain(db, { did: alice, domain: claimed }, { subdomainsMax: 9, now: 1 })
  await mapSubdomain(db, { did: alice, domain: claimed }, nameOf('blog'), 1)
  await putTakedown(db, { did: alice, site: '', status: 451, reason: 'x', actor: 'ruth', at: 1 })
})
afterAll(() => database[Symbol.asyncDispose]())

test.each([
  [`https://${siteLabel(blog)}.sites.example/a`, blog],
  [`${claimed}/a?b`, blog],
  [`https://sites.sites.example/${alice}/blog/`, blog],
  [`https://sites.sites.example/${alice}/theirs/`, theirs],
  [`https://${siteLabel(theirs)}.sites.example/`, theirs],
  // Of a site that was never live.
  [`https://${version}.sites.example/`, draft],
  [`https://pr-12--${siteLabel(draft).slice(3)}.sites.example/`, draft],
  [`https://pr-12--${claimed}/`, blog],
  [`https://v--${'a'.repeat(26)}.sites.example/`, null],
  ['https://pr-12--nobody.sites.example/', null],
  ['https://sites.example/', null],
  ['https://app.example/', null],
  ['no address', null],
])('%s', async (url, site) => {
  const place = { applicationHost: 'app.example', baseDomain: 'sites.example', db: database.db }
  expect(await siteAtUrl(url, place)).toEqual(site)
})
