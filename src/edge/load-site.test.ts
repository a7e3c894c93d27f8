import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { SnapshotSource } from '#edge/files/missing-blobs.ts'
import { siteLabel } from '#site/site-address.ts'
import { encodeSnapshot, type SnapshotFile } from '#site/visit/snapshot.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import type { Database } from '#store/database/database.ts'
import {
  recordVersionRecord,
  removeVersionRecord,
} from '#store/sites/version-records/record-version-record.ts'
import { recordingLog } from '#tests/support/api.ts'
import { memoryDatabase } from '#tests/support/database/databases.ts'
import {
  alice,
  newVersionRecord,
  siteOf,
  versionKeyOf,
} from '#tests/support/database/sample-rows.ts'
import { originOf } from '#tests/support/visitors/edge.ts'
import { goLive, snapshotOf, storedFile } from '#tests/support/visitors/served-site.ts'
import { loadSite } from './load-site.ts'

const hourMs = 60 * 60 * 1000
const asset = 'assets/index-BX3f9aQz.js'
const { file } = storedFile({ body: 'x' })
const label = siteLabel(siteOf('blog'))
let database: Database
let now: number
let logged: NonNullable<Parameters<typeof recordingLog>[0]>
let unreadable: SnapshotSource[]
beforeEach(async () => {
  database = await memoryDatabase()
  now = 100 * hourMs
  logged = []
  unreadable = []
})
afterEach(() => database[Symbol.asyncDispose]())

const publish = (n: number, files: Record<string, SnapshotFile>) =>
  goLive(
    database.db,
    snapshotOf(files, { recordCid: `cid-${n}`, publishedAt: now }),
    `3kaaaaaaaaaa${n}`,
  )
const load = (earlierBytesMax = 1000, of = label) =>
  loadSite(of, {
    baseDomain: 'sites.test',
    db: database.db,
    log: recordingLog(logged),
    now: () => now,
    earlierBytesMax,
    originOf,
    onUnreadable: (site) => unreadable.push(site),
  })
const earlier = async (bytesMax?: number) => [
  ...((await load(bytesMax))?.site.earlierAssets.keys() ?? []),
]

test('a site that nobody has is none', async () => {
  expect(await load()).toBeNull()
})

test('a site comes with its rules, and counts for what it takes', async () => {
  await goLive(database.db, snapshotOf({ 'index.html': file }, { redirects: '/a /b', headers: '' }))
  const loaded = await load()
  expect(loaded?.site.redirects.isEmpty).toBe(false)
  expect(loaded?.bytes).toBeGreaterThan(500)
})

test('others have their turn while rules that are slow to read are read', async () => {
  const redirects = `/*/${'a/'.repeat(60)}b /y\n`.repeat(1000)
  const headers = `/${'a/'.repeat(60)}*\nX: b\n`.repeat(1000)
  await goLive(database.db, snapshotOf({ 'index.html': file }, { redirects, headers }))
  let turns = 0
  let isOver = false
  const others = (async () => {
    for (; !isOver; turns++) await Bun.sleep(0)
  })()
  await load()
  isOver = true
  await others
  expect(turns).toBeGreaterThan(10)
})

describe('a site is live', () => {
  const since = async () => (await load())?.site.liveSince

  test('since its version came here, whatever the owner says of its time', async () => {
    await publish(2, { 'index.html': file })
    expect(await since()).toBe(now)
    const snapshot = snapshotOf({ 'a.html': file }, { recordCid: 'cid-3', publishedAt: now - 1 })
    now += hourMs
    await goLive(database.db, snapshot, '3kaaaaaaaaaa3', now)
    expect(await since()).toBe(now)
    await goLive(database.db, snapshot, '3kaaaaaaaaaa4', now + hourMs)
    expect(await since()).toBe(now)
  })

  test('since now at the latest', async () => {
    await publish(2, { 'index.html': file })
    now -= hourMs
    expect(await since()).toBe(now)
  })
})

describe('hashed assets of earlier versions', () => {
  test('are there for 24 hours after they were replaced', async () => {
    await publish(2, { [asset]: file, 'old.html': file })
    await publish(3, { 'index.html': file })
    expect(await earlier()).toEqual([asset])
    now += 24 * hourMs - 1
    expect(await earlier()).toEqual([asset])
    now += 1
    expect(await earlier()).toEqual([])
  })

  test('are there as long as the site’s owner keeps their version', async () => {
    await publish(2, { 'index.html': file })
    const { did, name } = siteOf('blog')
    const snapshot = encodeSnapshot(snapshotOf({ [asset]: file }, { did, name }))
    await recordVersionRecord(database.db, newVersionRecord(1, { snapshot }), now)
    expect(await earlier()).toEqual([asset])
    now += 1000 * hourMs
    expect(await earlier()).toEqual([asset])
    const key = { did, key: versionKeyOf(1) }
    await removeVersionRecord(database.db, key, '9', now)
    expect(await earlier()).toEqual([])
  })

  test('are not many bytes', async () => {
    await publish(2, { [asset]: file })
    await publish(3, { 'index.html': file })
    expect(await earlier(file.storedBytes)).toEqual([asset])
    expect(await earlier(file.storedBytes - 1)).toEqual([])
  })

  test('are read one version at a time, and others get their turn between', async () => {
    const versions = [2, 3, 4, 5, 6, 7, 8, 9]
    for (const n of versions) await publish(n, { [`assets/index-BX3f9aQ${n}.js`]: file })
    let turns = 0
    let isLoading = true
    const yieldAgain = (): void => {
      turns++
      if (isLoading) setImmediate(yieldAgain)
    }
    setImmediate(yieldAgain)
    expect(await earlier()).toHaveLength(versions.length - 1)
    isLoading = false
    expect(turns).toBeGreaterThanOrEqual(versions.length)
  })

  test('that cannot be read are logged, and the site is shown', async () => {
    await publish(2, { [asset]: file })
    await publish(3, { 'index.html': file })
    await database.db
      .updateTable('versions')
      .set({ snapshot: '{"assets/":[]}' })
      .where('state', '=', 'replaced')
      .execute()
    expect(await earlier()).toEqual([])
    expect(logged.map(({ message }) => message)).toEqual(['earlier version not readable'])
    expect(unreadable).toEqual([])
  })
})

test('of a site that cannot be read somebody is told', async () => {
  await publish(2, { 'index.html': file })
  await database.db.updateTable('versions').set({ snapshot: '{}' }).execute()
  await expect(load()).rejects.toThrow('not a snapshot')
  expect(unreadable).toMatchObject([siteOf('blog')])
})

test('of a version that cannot be read too', async () => {
  await upsertAccount(database.db, { did: alice }, 1)
  const [label, key] = [`v--${'a'.repeat(26)}`, versionKeyOf(1)]
  await recordVersionRecord(database.db, newVersionRecord(1, { label, snapshot: '{}' }), 1)
  await expect(load(1000, label)).rejects.toThrow('not a snapshot')
  expect(unreadable).toEqual([{ ...siteOf('blog'), versionKey: key }])
})
