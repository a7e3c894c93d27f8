import { afterEach, beforeEach, expect, test } from 'bun:test'
import { followChanges } from '#store/database/change-feed.ts'
import type { Database } from '#store/database/database.ts'
import { WakeUps } from '#store/database/wake-ups.ts'
import { claimSubdomain, mapSubdomain, releaseSubdomain } from '#store/names/subdomains.ts'
import { recordingLog } from '#tests/support/api.ts'
import { memoryDatabase } from '#tests/support/database/databases.ts'
import { alice, nameOf } from '#tests/support/database/sample-rows.ts'
import { eventually } from '#tests/support/eventually.ts'
import { Registrations } from './registrations.ts'

const domain = 'alice.sites.example.net'
const name = { did: alice, domain }

let database: Database
let wakeUps: WakeUps
let registrations: Registrations
let stop: AbortController
let following: Promise<void>
beforeEach(async () => {
  database = await memoryDatabase()
  wakeUps = new WakeUps()
  registrations = new Registrations({ db: database.db, wakeUps })
  stop = new AbortController()
  const context = { db: database.db, wakeUps, log: recordingLog(), pollMs: 5, signal: stop.signal }
  following = followChanges([registrations], context)
})
afterEach(async () => {
  stop.abort()
  await following
  registrations[Symbol.dispose]()
  await database[Symbol.asyncDispose]()
})

const claim = () => claimSubdomain(database.db, name, { subdomainsMax: 3, now: 1 })
const map = (site: string) => mapSubdomain(database.db, name, nameOf(site), 1)
const rkey = async () => (await registrations.find(domain))?.rkey
/** Asked for until it is answered without a look at the database. */
const untilInMemory = () =>
  eventually(async () => {
    await registrations.find(domain)
    const again = registrations.find(domain)
    await again
    expect(again).not.toBeInstanceOf(Promise)
  }, 3_000)

test('what was asked for once is answered at once', async () => {
  await claim()
  expect(await registrations.find(domain)).toEqual({
    registered: true,
    type: 'sitehost',
    domain,
    did: alice,
    rkey: '',
  })
  await untilInMemory()
})

test('what this process changes is seen at once', async () => {
  await claim()
  await untilInMemory()
  await map('blog')
  wakeUps.notify('changes')
  expect(await rkey()).toBe(nameOf('blog'))
  await untilInMemory()
  await releaseSubdomain(database.db, name, 1)
  wakeUps.notify('changes')
  expect(await registrations.find(domain)).toBeNull()
})

test('what another process changes is seen', async () => {
  await claim()
  await untilInMemory()
  await map('blog')
  await eventually(async () => expect(await rkey()).toBe(nameOf('blog')))
})

test('a name that nobody has is looked up each time', async () => {
  await claim()
  await untilInMemory()
  for (let times = 0; times < 2; times++) {
    const unknown = registrations.find('nobody.sites.example.net')
    expect(unknown).toBeInstanceOf(Promise)
    expect(await unknown).toBeNull()
  }
})
