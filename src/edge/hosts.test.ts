import { afterEach, beforeEach, expect, test } from 'bun:test'
import { siteLabel } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import { type Database, openDatabase } from '#store/database.ts'
import { Hints } from '#store/hints.ts'
import { migrate } from '#store/migrate.ts'
import { claimSubdomain, mapSubdomain } from '#store/subdomains.ts'
import { recordingLog } from '#tests/support/api.ts'
import { eventually } from '#tests/support/eventually.ts'
import { alice, siteOf } from '#tests/support/sample-rows.ts'
import { Hosts } from './hosts.ts'
import { followChanges } from './snapshots.ts'

let database: Database
beforeEach(async () => {
  database = openDatabase({})
  await migrate(database)
})
afterEach(() => database[Symbol.asyncDispose]())

const host = 'blog.sites.example'
const label = siteLabel(siteOf('blog'))
const claim = () =>
  claimSubdomain(database.db, { did: alice, domain: host }, { subdomainsMax: 3, now: 1 })
const map = (site: string | null) =>
  mapSubdomain(database.db, { did: alice, domain: host }, site as SiteName | null, 1)

test('a host that leads nowhere is looked up each time: it may be claimed', async () => {
  const hosts = new Hosts(database)
  expect(await hosts.labelOf(host)).toBeNull()
  await claim()
  expect(await hosts.labelOf(host)).toBeNull()
  await map('blog')
  expect(await hosts.labelOf(host)).toBe(label)
})

test('one that leads somewhere is known at once from then on, until it is forgotten', async () => {
  await claim()
  await map('blog')
  const hosts = new Hosts(database)
  const looks = Array.from({ length: 20 }, () => hosts.labelOf(host))
  expect(new Set(looks).size).toBe(1)
  expect(await looks[0]).toBe(label)
  await map('other')
  expect(hosts.labelOf(host)).toBe(label)
  hosts.forget(host)
  expect(await hosts.labelOf(host)).toBe(siteLabel(siteOf('other')))
  hosts.forgetAll()
  expect(hosts.labelOf(host)).toBeInstanceOf(Promise)
})

test('what was forgotten while it was looked up is not kept', async () => {
  await claim()
  await map('blog')
  const hosts = new Hosts(database)
  const look = hosts.labelOf(host)
  hosts.forget(host)
  await map(null)
  await look
  expect(await hosts.labelOf(host)).toBeNull()
})

test('a change is followed', async () => {
  await claim()
  await map('blog')
  const { db } = database
  const hosts = new Hosts({ db })
  const hints = new Hints()
  const stop = new AbortController()
  const snapshots = { forget: () => undefined, forgetAll: () => undefined }
  const log = recordingLog()
  const following = followChanges({ db, hints, hosts, log, snapshots, signal: stop.signal })
  await eventually(async () => expect(await hosts.labelOf(host)).toBe(label))
  await map(null)
  hints.notify('changes')
  await eventually(async () => expect(await hosts.labelOf(host)).toBeNull())
  stop.abort()
  await following
})
