import { afterEach, beforeEach, expect, test } from 'bun:test'
import { forgetChanged } from '#edge/site-cache.ts'
import { siteLabel } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import { followChanges } from '#store/database/change-feed.ts'
import type { Database } from '#store/database/database.ts'
import { WakeUps } from '#store/database/wake-ups.ts'
import { setPrimaryDomain } from '#store/names/primary-domain.ts'
import { claimSubdomain, mapSubdomain } from '#store/names/subdomains.ts'
import { recordingLog } from '#tests/support/api.ts'
import { memoryDatabase } from '#tests/support/database/databases.ts'
import { alice, siteOf } from '#tests/support/database/sample-rows.ts'
import { eventually } from '#tests/support/eventually.ts'
import { originOf } from '#tests/support/visitors/edge.ts'
import { Hosts } from './hosts.ts'

let database: Database
beforeEach(async () => {
  database = await memoryDatabase()
})
afterEach(() => database[Symbol.asyncDispose]())

const host = 'blog.sites.example'
const label = siteLabel(siteOf('blog'))
const claim = (domain = host) =>
  claimSubdomain(database.db, { did: alice, domain }, { subdomainsMax: 3, now: 1 })
const map = (site: string | null, domain = host) =>
  mapSubdomain(database.db, { did: alice, domain }, site as SiteName | null, 1)

test('a host that leads nowhere is looked up again after a second: it may be claimed', async () => {
  let time = 0
  const hosts = new Hosts({ ...database, elapsed: () => time, originOf })
  expect(await hosts.get(host)).toBeNull()
  await claim()
  await map('blog')
  time = 999
  expect(await hosts.get(host)).toBeNull()
  time = 1000
  expect(await hosts.get(host)).toEqual({ label, movedTo: null })
})

test('one that leads somewhere is known at once from then on, until it is forgotten', async () => {
  await claim()
  await map('blog')
  const hosts = new Hosts({ ...database, originOf })
  const looks = Array.from({ length: 20 }, () => hosts.get(host))
  expect(new Set(looks).size).toBe(1)
  expect(await looks[0]).toEqual({ label, movedTo: null })
  await map('other')
  expect(hosts.get(host)).toEqual({ label, movedTo: null })
  hosts.forget(host)
  expect(await hosts.get(host)).toMatchObject({ label: siteLabel(siteOf('other')) })
  hosts.forgetAll()
  const look = hosts.get(host)
  expect(look).toBeInstanceOf(Promise)
  await look
})

test('what was forgotten while it was looked up is not kept', async () => {
  await claim()
  await map('blog')
  const hosts = new Hosts({ ...database, originOf })
  const look = hosts.get(host)
  hosts.forget(host)
  await map(null)
  await look
  expect(await hosts.get(host)).toBeNull()
})

test('one with a primary address beside it leads on; the primary address itself does not', async () => {
  const hosts = new Hosts({ ...database, originOf })
  const primary = 'my-blog.sites.example'
  for (const each of [host, primary]) {
    await claim(each)
    await map('blog', each)
  }
  await setPrimaryDomain(database.db, siteOf('blog'), primary, 1)
  expect(await hosts.get(host)).toEqual({ label, movedTo: `http://${primary}` })
  expect(await hosts.get(primary)).toEqual({ label, movedTo: null })
})

test('a change is followed', async () => {
  await claim()
  await map('blog')
  const { db } = database
  const hosts = new Hosts({ db, originOf })
  const wakeUps = new WakeUps()
  const stop = new AbortController()
  const ignore = (): void => undefined
  const none = { forget: ignore, forgetAll: ignore, replace: ignore }
  const log = recordingLog()
  const others = { addresses: none, gone: none, previews: none, snapshots: none, takedowns: none }
  const edge = forgetChanged({ hosts, ...others })
  const following = followChanges([edge], { db, wakeUps, log, pollMs: 5, signal: stop.signal })
  await eventually(async () => expect(await hosts.get(host)).toEqual({ label, movedTo: null }))
  await map(null)
  wakeUps.notify('changes')
  await eventually(async () => expect(await hosts.get(host)).toBeNull())
  // What another process changes comes without a wake-up.
  await map('blog')
  await eventually(async () => expect(await hosts.get(host)).toEqual({ label, movedTo: null }))
  await setPrimaryDomain(database.db, siteOf('blog'), host, 1)
  const other = 'other.sites.example'
  await claim(other)
  await map('blog', other)
  const leadsOn = { label, movedTo: `http://${host}` }
  await eventually(async () => expect(await hosts.get(other)).toEqual(leadsOn))
  await setPrimaryDomain(database.db, siteOf('blog'), null, 2)
  await eventually(async () => expect(await hosts.get(other)).toEqual({ label, movedTo: null }))
  stop.abort()
  await following
})
