import { afterEach, beforeEach, expect, test } from 'bun:test'
import { takeOffline } from '#admin/take-offline.ts'
import { siteLabel } from '#site/site-address.ts'
import { versionLabel } from '#site/version-label.ts'
import { setAccountStatus } from '#store/accounts/account-status.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { followChanges } from '#store/database/change-feed.ts'
import type { Database } from '#store/database/database.ts'
import { WakeUps } from '#store/database/wake-ups.ts'
import { claimSubdomain, mapSubdomain } from '#store/names/subdomains.ts'
import { expireVersions } from '#store/sites/expire-versions.ts'
import {
  type NewVersionRecord,
  recordVersionRecord,
  removeVersionRecord,
} from '#store/sites/version-records/record-version-record.ts'
import { recordingLog } from '#tests/support/api.ts'
import { memoryDatabase } from '#tests/support/database/databases.ts'
import {
  alice,
  nameOf,
  newVersionRecord,
  siteOf,
  versionKeyOf,
} from '#tests/support/database/sample-rows.ts'
import { eventually } from '#tests/support/eventually.ts'
import { answerAsk } from './ask.ts'
import { NamesFollower, newNamesAllowance, ServedNames } from './served-names.ts'

const place = { applicationHost: 'app.example.net', baseDomain: 'sites.example' }
const log = { permitted: () => undefined, refused: () => undefined }

let database: Database
let names: ServedNames
let end: AbortController
let following: Promise<unknown>
const wakeUps = new WakeUps()
beforeEach(async () => {
  database = await memoryDatabase()
  await upsertAccount(database.db, { did: alice }, 1)
  names = new ServedNames({ ...place, now: () => 0 })
  end = new AbortController()
  following = Promise.resolve()
})
afterEach(async () => {
  end.abort()
  await following
  await database[Symbol.asyncDispose]()
})

function ask(domain: string): number {
  const url = `http://127.0.0.1:3001/?domain=${domain}`
  return answerAsk(new Request(url), { ...place, names, log }).status
}

async function follow(): Promise<void> {
  const { db } = database
  const loop = { db, log: recordingLog(), signal: end.signal }
  const follower = new NamesFollower({ ...loop, names })
  following = Promise.all([
    followChanges([follower], { ...loop, pollMs: 5, wakeUps }),
    follower.run(),
  ])
  await eventually(async () => expect(names.has('')).toBe(false))
}

/** Within a second. */
async function asked(facts: Readonly<Record<string, number>>): Promise<void> {
  wakeUps.notify('changes')
  const statuses = () => Object.fromEntries(Object.keys(facts).map((host) => [host, ask(host)]))
  await eventually(async () => expect(statuses()).toEqual(facts))
}

const blog = siteOf('blog')
const base = '.sites.example'
const claimed = `blog${base}`
const versionOf = (n: number) => `${versionLabel(blog, `content ${n}`)}${base}`
const ofLabel = `pr-12--${siteLabel(blog).slice(3)}${base}`
const ofClaimed = `pr-12--${claimed}`
const preview = { manifest: null, alias: 'pr-12', expiresAt: 100 }

const keep = (n: number, facts: Partial<NewVersionRecord> = {}) => {
  const label = versionLabel(blog, `content ${n}`)
  return recordVersionRecord(database.db, newVersionRecord(n, { label, ...facts }), 1)
}
const forget = (n: number) =>
  removeVersionRecord(database.db, { did: alice, key: versionKeyOf(n) }, '9', 1)
async function map(domain: string, site: string): Promise<void> {
  const { db } = database
  await claimSubdomain(db, { did: alice, domain }, { subdomainsMax: 9, now: 1 })
  await mapSubdomain(db, { did: alice, domain }, nameOf(site), 1)
}

test('versions and previews that were there at the start may have certificates, others not', async () => {
  await map(claimed, 'blog')
  await keep(1)
  await keep(2, preview)
  await follow()
  await asked({ [versionOf(1)]: 200, [versionOf(2)]: 200, [ofLabel]: 200, [ofClaimed]: 200 })
  const others = [
    versionOf(3),
    versionOf(1).replace('v--', 's--'),
    ofLabel.replace('12', '13'),
    ofClaimed.replace('12', '13'),
    `pr-12--other${base}`,
    `www.${ofClaimed}`,
    ofClaimed.replace(base, '.example.org'),
  ]
  for (const host of others) expect([host, ask(host)]).toEqual([host, 404])
})

test('a version may from when it is kept until it is removed', async () => {
  await follow()
  await keep(1)
  await asked({ [versionOf(1)]: 200 })
  await forget(1)
  await asked({ [versionOf(1)]: 404 })
})

test('an alias may below every name of its site, while it has a preview', async () => {
  await follow()
  await keep(1, preview)
  await keep(2, preview)
  await asked({ [ofLabel]: 200, [ofClaimed]: 404 })
  await map(claimed, 'blog')
  await asked({ [ofClaimed]: 200 })
  await map(claimed, 'other')
  await asked({ [ofLabel]: 200, [ofClaimed]: 404 })
  await map(claimed, 'blog')
  await asked({ [ofClaimed]: 200 })
  await forget(1)
  await asked({ [versionOf(1)]: 404, [ofLabel]: 200, [ofClaimed]: 200 })
  await expireVersions(database.db, 100)
  await asked({ [versionOf(2)]: 404, [ofLabel]: 404, [ofClaimed]: 404 })
})

test('none of a site that is offline, or of a hidden account', async () => {
  await map(claimed, 'blog')
  await keep(1, preview)
  await follow()
  const all = (status: number) =>
    asked({ [versionOf(1)]: status, [ofLabel]: status, [ofClaimed]: status })
  await all(200)
  await setAccountStatus(database.db, alice, 'deactivated', 2)
  await all(404)
  await setAccountStatus(database.db, alice, 'active', 3)
  await all(200)
  const context = { db: database.db, wakeUps, log: recordingLog(), now: () => 9 }
  const by = { actor: 'ruth', reason: 'x' }
  await takeOffline({ did: alice, site: nameOf('blog') }, 451, by, context)
  await all(404)
})

test('new ones are among the new names of their account', async () => {
  await follow()
  const { count } = newNamesAllowance
  for (let n = 1; n <= count; n++) await keep(n)
  await keep(count + 1, preview)
  wakeUps.notify('changes')
  const last = versionLabel(blog, `content ${count + 1}`)
  await eventually(async () => expect(names.has(last)).toBe(true))
  for (let n = 1; n <= count; n++) expect(ask(versionOf(n))).toBe(200)
  for (const host of [versionOf(count + 1), ofLabel]) expect(ask(host)).toBe(404)
  expect(ask(versionOf(1))).toBe(200)
})
