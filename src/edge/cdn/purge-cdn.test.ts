import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { takeOffline } from '#admin/take-offline.ts'
import { siteLabel } from '#site/site-address.ts'
import { versionLabel } from '#site/version-label.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import {
  appendBlobChanges,
  appendHostChange,
  latestChangeSeq,
  pruneChanges,
  readChanges,
} from '#store/database/changes.ts'
import type { Database } from '#store/database/database.ts'
import { WakeUps } from '#store/database/wake-ups.ts'
import { DutyLostError } from '#store/duties.ts'
import { beginAccountDeletion } from '#store/lifecycle/account-deletions.ts'
import { readPurgedSeq } from '#store/names/cdn-purges.ts'
import { claimSubdomain, mapSubdomain } from '#store/names/subdomains.ts'
import { recordVersion } from '#store/sites/record-version.ts'
import { removeSite } from '#store/sites/remove-site.ts'
import {
  recordVersionRecord,
  removeVersionRecord,
} from '#store/sites/version-records/record-version-record.ts'
import { awaitWithdrawal } from '#store/sites/withdrawals.ts'
import { type LoggedLine, recordingLog } from '#tests/support/api.ts'
import { memoryDatabase } from '#tests/support/database/databases.ts'
import {
  alice,
  newVersion,
  newVersionRecord,
  siteOf,
  versionKeyOf,
} from '#tests/support/database/sample-rows.ts'
import { eventually } from '#tests/support/eventually.ts'
import { hostsOfPurgeMax, type PurgeAnswer } from './cdn.ts'
import { purgeAtOnce } from './purge-at-once.ts'
import { CdnPurger, pauseMs, refusedMsMax, settledMs } from './purge-cdn.ts'

const blog = siteOf('blog')
const base = 'sites.example'
const ofLabel = `${siteLabel(blog)}.${base}`
const claimed = `blog.${base}`
const label = versionLabel(blog, 'content 1')
const ofVersion = `${label}.${base}`

let database: Database
let now: number
let purger: CdnPurger
let lock: () => Promise<void>
/** What the CDN was told. */
let told: (readonly string[] | 'everything')[]
/** What it answers; undefined: done. */
let answerTo: (hosts: readonly string[] | 'everything') => PurgeAnswer | undefined
let logged: LoggedLine[]
beforeEach(async () => {
  database = await memoryDatabase()
  now = 1_000_000
  told = []
  logged = []
  answerTo = () => undefined
  lock = () => Promise.resolve()
  purger = purgerFor({ keepsPages: false })
  await upsertAccount(database.db, { did: alice }, 1)
  await goLive(1)
  await claimSubdomain(database.db, { did: alice, domain: claimed }, { subdomainsMax: 9, now })
  await mapSubdomain(database.db, { did: alice, domain: claimed }, blog.name, now)
  await recordVersionRecord(database.db, newVersionRecord(1, { label }), now)
  // From here on.
  await purger.purgeDue()
})
afterEach(() => database[Symbol.asyncDispose]())

const cdn = {
  purge: async (hosts: readonly string[] | 'everything'): Promise<PurgeAnswer> => {
    told.push(hosts)
    return answerTo(hosts) ?? { kind: 'done' }
  },
}
const purgerFor = ({ keepsPages }: { readonly keepsPages: boolean }) =>
  new CdnPurger({
    db: database.db,
    baseDomain: base,
    keepsPages,
    log: recordingLog(logged),
    wakeUps: new WakeUps(),
    now: () => now,
    signal: new AbortController().signal,
    term: { lock: () => lock() },
    cdn,
  })

const goLive = (n: number) => {
  const version = newVersion({
    label: siteLabel(blog),
    recordCid: `cid-${n}`,
    rev: `3kaaaaaaaaaa${n}`,
  })
  return recordVersion(database.db, version, now)
}
const context = () => ({
  ...{ db: database.db, log: recordingLog(), wakeUps: new WakeUps(), now: () => now },
})
const by = { actor: 'ruth', reason: 'reported' }
const takenBack = (hashes: string[] = []) => appendBlobChanges(database.db, blog, hashes, now)

/** The pass after the changes have settled. */
async function pass(): Promise<number> {
  now += settledMs
  return (await purger.purgeDue()).nextMs
}

describe('a CDN is told to drop', () => {
  const facts: [what: string, change: () => Promise<unknown>, hosts: string[]][] = [
    ['nothing of a site that is published anew', () => goLive(2), []],
    [
      'a version that is removed',
      () => removeVersionRecord(database.db, { did: alice, key: versionKeyOf(1) }, '9', now),
      [ofVersion],
    ],
    ['all hosts of a site of which something is taken back', () => takenBack(), [claimed, ofLabel]],
    [
      'all hosts of a site whose earlier versions are withdrawn',
      async () => {
        await awaitWithdrawal(database.db, blog, 'cid-2')
        await goLive(2)
      },
      [claimed, ofLabel],
    ],
    [
      'all hosts of a site that is removed',
      () => removeSite(database.db, blog, '3kaaaaaaaaaa9', now),
      [claimed, ofLabel],
    ],
    [
      'all hosts and versions of a site that is taken offline',
      () => takeOffline({ did: alice, site: blog.name }, 451, by, context()),
      [claimed, ofLabel, ofVersion],
    ],
    [
      'all hosts and versions of an account that is deleted',
      () => beginAccountDeletion(database.db, alice, now),
      [claimed, ofLabel, ofVersion],
    ],
    [
      'a name that leads elsewhere',
      () => mapSubdomain(database.db, { did: alice, domain: claimed }, null, now),
      [claimed],
    ],
  ]
  test.each(facts)('%s', async (_, change, hosts) => {
    await change()
    await pass()
    expect(told.flat().sort()).toEqual(hosts)
    await pass()
    expect(told).toHaveLength(hosts.length === 0 ? 0 : 1)
  })
})

test('a CDN that keeps pages is told of what is published anew, too: at once, and when no process has the former pages', async () => {
  const keeping = purgerFor({ keepsPages: true })
  await keeping.purgeDue()
  const atOnce = purgeAtOnce({ baseDomain: base, cdn, db: database.db, log: recordingLog() })
  const seen = await latestChangeSeq(database.db)
  await goLive(2)
  atOnce.follow(await readChanges(database.db, seen))
  await eventually(async () => expect(told.flat().sort()).toEqual([claimed, ofLabel]))
  now += settledMs
  await keeping.purgeDue()
  expect(told.flat().sort()).toEqual([claimed, claimed, ofLabel, ofLabel])
})

test('what a CDN refuses at once is left to later', async () => {
  const atOnce = purgeAtOnce({ baseDomain: base, cdn, db: database.db, log: recordingLog() })
  answerTo = () => {
    throw new Error('no route')
  }
  const seen = await latestChangeSeq(database.db)
  await goLive(2)
  const changes = await readChanges(database.db, seen)
  for (const count of [1, 2]) {
    atOnce.follow(changes)
    await eventually(async () => expect(told).toHaveLength(count))
  }
})

test('it is told once no process has a copy any more', async () => {
  await takenBack()
  now += settledMs - 1
  expect(await purger.purgeDue()).toEqual({ nextMs: settledMs, isIdle: false })
  expect(told).toEqual([])
  now += 1
  expect(await purger.purgeDue()).toEqual({ nextMs: pauseMs, isIdle: false })
  expect(told).toHaveLength(1)
  expect((await purger.purgeDue()).isIdle).toBe(true)
})

test('many hosts are told in several requests', async () => {
  for (let n = 0; n <= hostsOfPurgeMax; n++)
    await appendBlobChanges(database.db, siteOf(`n-${n}`), [], now)
  await pass()
  expect(told.map((hosts) => hosts.length)).toEqual([hostsOfPurgeMax, 1])
})

test('a failure is tried again, later each time, and not before the CDN wants it', async () => {
  await takenBack()
  answerTo = () => ({ kind: 'failed', status: 429, retryAfterMs: 60_000 })
  expect(await pass()).toBe(60_000)
  answerTo = () => {
    throw new Error('no route')
  }
  expect(await pass()).toBeWithin(5_000, 10_001)
  expect(logged.filter(({ message }) => message === 'CDN not purged')).toHaveLength(2)
  answerTo = () => undefined
  await pass()
  expect(told.map((hosts) => [...hosts].sort())).toEqual(Array(3).fill([claimed, ofLabel]))
})

test('a host that the CDN does not serve does not keep it from dropping others', async () => {
  await takenBack()
  answerTo = (hosts) => (hosts.includes(claimed) ? { kind: 'refused', status: 400 } : undefined)
  expect(await pass()).toBe(pauseMs)
  expect(told.map((hosts) => hosts.length)).toEqual([2, 1, 1])
  await pass()
  expect(told).toHaveLength(3)
})

test('many hosts that the CDN does not serve do not delay what comes after them', async () => {
  const elsewhere = Array.from({ length: hostsOfPurgeMax }, (_, n) => `n-${n}.example`)
  for (const host of elsewhere) await appendHostChange(database.db, host, now)
  await takenBack()
  answerTo = (hosts) =>
    elsewhere.some((host) => hosts.includes(host)) ? { kind: 'refused', status: 400 } : undefined
  expect(await pass()).toBe(pauseMs)
  expect([...(told.at(-1) ?? [])].sort()).toEqual([claimed, ofLabel])
})

test('when it refuses everything, the settings may be wrong: it is given up after an hour', async () => {
  await takenBack()
  answerTo = () => ({ kind: 'refused', status: 400 })
  expect(await pass()).toBeWithin(2_500, 5_001)
  const before = await readPurgedSeq(database.db)
  now += refusedMsMax - settledMs
  await purger.purgeDue()
  expect(await readPurgedSeq(database.db)).toBe(before)
  now += 1
  await purger.purgeDue()
  expect(await readPurgedSeq(database.db)).toBe(await latestChangeSeq(database.db))
})

test('when changes are gone that it was not told, it is to drop everything', async () => {
  await takenBack()
  now += 1
  await takenBack()
  await pruneChanges(database.db, now)
  answerTo = () => ({ kind: 'failed', status: 500, retryAfterMs: 0 })
  await pass()
  answerTo = () => undefined
  await pass()
  await pass()
  expect(told).toEqual(['everything', 'everything'])
})

test('an instance that no longer has the duty leaves the place to the one that has it', async () => {
  await takenBack()
  const seen = await readPurgedSeq(database.db)
  lock = () => Promise.reject(new DutyLostError('cdn'))
  await expect(pass()).rejects.toBeInstanceOf(DutyLostError)
  expect(await readPurgedSeq(database.db)).toBe(seen)
  lock = () => Promise.resolve()
  await pass()
  expect(await readPurgedSeq(database.db)).toBeGreaterThan(seen ?? 0)
})
