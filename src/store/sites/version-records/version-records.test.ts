import { beforeEach, describe, expect, test } from 'bun:test'
import { accountVersionRecordsMax, versionRecordsMax } from '#site/limits.ts'
import { siteLabel } from '#site/site-address.ts'
import { setAccountStatus } from '#store/accounts/account-status.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { latestChangeSeq, readChanges } from '#store/database/changes.ts'
import { inTransaction } from '#store/database/transaction.ts'
import { removeIndexRows } from '#store/lifecycle/remove-account.ts'
import { putTakedown } from '#store/moderation/takedowns.ts'
import { expireVersions, forgetRemovedVersions } from '#store/sites/expire-versions.ts'
import { recordVersion } from '#store/sites/record-version.ts'
import { snapshotPages } from '#store/sites/snapshot-pages.ts'
import { beginForget } from '#store/sites/unfinished-forgets.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import {
  alice,
  bob,
  newVersion,
  newVersionRecord,
  siteOf,
  versionKeyOf,
} from '#tests/support/database/sample-rows.ts'
import { tooManyVersions } from './oldest-version-records.ts'
import {
  type NewVersionRecord,
  recordVersionRecord,
  removedVersionsMax,
  removeVersionRecord,
} from './record-version-record.ts'
import { findVersionByLabel } from './version-addresses.ts'
import {
  findVersionRecord,
  findVersionSnapshot,
  knownVersionKeys,
  listVersionRecords,
} from './version-records.ts'

onEachStore('store/sites/version-records', (db) => {
  beforeEach(async () => void (await upsertAccount(db(), { did: alice }, 1)))
  const blog = siteOf('blog')
  const keyOf = (n: number) => ({ did: alice, key: versionKeyOf(n) })
  const keep = (n: number, facts: Partial<NewVersionRecord> = {}, now = 1) =>
    recordVersionRecord(db(), newVersionRecord(n, facts), now)
  const remove = (n: number, rev: string, now = 1) => removeVersionRecord(db(), keyOf(n), rev, now)
  /** Copies the only row, so that there are so many. */
  const copyOnly = async (news: (n: number) => object, count: number) => {
    const row = await db().selectFrom('versionRecords').selectAll().executeTakeFirstOrThrow()
    const rows = Array.from({ length: count - 1 }, (_, n) => {
      return { ...row, id: Bun.randomUUIDv7(), ...news(n + 1) }
    })
    for (let at = 0; at < rows.length; at += 100) {
      await db()
        .insertInto('versionRecords')
        .values(rows.slice(at, at + 100))
        .execute()
    }
  }
  const at = (label: string, now = 1) => findVersionByLabel(db(), label, now)
  const snapshotAt = async (label: string, now = 1) => {
    const found = await at(label, now)
    return found !== null && 'snapshot' in found ? found.snapshot : found && 'gone'
  }
  const listed = async () =>
    (await listVersionRecords(db(), blog, { limit: 100 })).map(({ key }) => key)
  const changed = async () =>
    (await readChanges(db(), 0)).map((change) => (change.kind === 'site' ? change.label : ''))
  /** For each change of the site since then, whether it takes nothing back. */
  const changesOfSite = async (since: number) =>
    (await readChanges(db(), since)).flatMap((change) =>
      change.kind === 'site' && change.label === siteLabel(blog)
        ? (change.isNewVersion ?? false)
        : [],
    )
  const changedLabels = async () => (await changed()).filter((label) => label.startsWith('v--'))

  test('a kept version is found by its key and its address', async () => {
    expect(await keep(1, { message: 'first', source: { ref: 'main' } })).toBe('kept')
    expect(await findVersionRecord(db(), keyOf(1))).toMatchObject({
      site: 'blog',
      state: 'kept',
      label: 'v--1',
      message: 'first',
      source: { ref: 'main' },
      hasContent: true,
    })
    expect(await findVersionSnapshot(db(), keyOf(1))).toBe('snapshot 1')
    expect(await at('v--1')).toMatchObject({ ...blog, key: versionKeyOf(1), label: 'v--1' })
    expect(await at('v--2')).toBeNull()
    expect(await changedLabels()).toEqual(['v--1'])
  })

  test('versions are listed newest first, page by page', async () => {
    for (const n of [2, 1, 3]) await keep(n)
    await keep(4, { site: siteOf('shop').name })
    expect(await listed()).toEqual([3, 2, 1].map(versionKeyOf))
    const page = await listVersionRecords(db(), blog, { before: versionKeyOf(3), limit: 1 })
    expect(page.map(({ key }) => key)).toEqual([versionKeyOf(2)])
  })

  test('the same record read again changes nothing', async () => {
    await keep(1)
    expect(await keep(1, { rev: '2' })).toBe('unchanged')
    expect((await findVersionRecord(db(), keyOf(1)))?.rev).toBe('2')
    expect(await changedLabels()).toEqual(['v--1'])
  })

  test('the site’s visitors get assets of a version that was live, until it is removed', async () => {
    const ofSite = async () => (await changed()).filter((label) => label === siteLabel(blog)).length
    await keep(1, { manifest: null })
    expect(await ofSite()).toBe(0)
    await keep(2)
    expect(await ofSite()).toBe(1)
    await recordVersion(db(), newVersion({ recordCid: 'manifest 3', rev: '3' }), 1)
    expect(await ofSite()).toBe(2)
    await keep(3)
    expect(await ofSite()).toBe(2)
    await remove(2, '9')
    expect(await ofSite()).toBe(3)
  })

  test('the site may be served as it was for a moment when a version is new or removed, not when one is edited', async () => {
    await keep(1)
    expect(await changesOfSite(0)).toEqual([true])
    let since = await latestChangeSeq(db())
    await keep(1, { rev: '5', cid: 'cid-edited' })
    expect(await changesOfSite(since)).toEqual([false, false])
    since = await latestChangeSeq(db())
    await remove(1, '6')
    expect(await changesOfSite(since)).toEqual([true])
  })

  test('an edited record replaces the one before, an older state does not', async () => {
    await keep(1, { rev: '5' })
    expect(await keep(1, { rev: '6', cid: 'edited', message: 'typo' })).toBe('kept')
    expect(await keep(1, { rev: '5' })).toBe('outdated')
    expect((await findVersionRecord(db(), keyOf(1)))?.message).toBe('typo')
  })

  test('a refused version has no address, and its problems are listed', async () => {
    const refused = { label: null, snapshot: null, filesDigest: null, problems: ['bad entry'] }
    expect(await keep(1, refused)).toBe('refused')
    expect(await keep(1, { ...refused, rev: '9' })).toBe('refused')
    expect(await findVersionRecord(db(), keyOf(1))).toMatchObject({
      state: 'refused',
      problems: ['bad entry'],
      hasContent: false,
    })
    expect(await changedLabels()).toEqual([])
  })

  test('records with the same content share an address until the last one is removed', async () => {
    await keep(1, { label: 'v--same' })
    await keep(2, { label: 'v--same' })
    await remove(2, '9')
    expect(await snapshotAt('v--same')).toBe('snapshot 1')
    await remove(1, '9')
    expect(await at('v--same')).toEqual({ ...blog, isGone: true })
    await keep(3, { label: 'v--same' })
    expect(await snapshotAt('v--same')).toBe('snapshot 3')
  })

  describe('a removed version', () => {
    test('leaves nothing but its address', async () => {
      await keep(1, { message: 'secret' })
      expect(await remove(1, '9')).toBe(true)
      expect(await findVersionRecord(db(), keyOf(1))).toBeNull()
      expect(await listed()).toEqual([])
      expect(await Array.fromAsync(snapshotPages(db()))).toEqual([])
      const rows = await db().selectFrom('versionRecords').selectAll().execute()
      expect(JSON.stringify(rows)).not.toContain('secret')
      expect(await at('v--1')).toEqual({ ...blog, isGone: true })
      expect(await changedLabels()).toEqual(['v--1', 'v--1'])
    })

    test('does not come back with a state that was read before, and does with a later one', async () => {
      await keep(1, { rev: '5' })
      await remove(1, '6')
      expect(await keep(1, { rev: '5' })).toBe('outdated')
      expect(await keep(1, { rev: '6' })).toBe('outdated')
      expect(await keep(1, { rev: '7' })).toBe('kept')
      expect(await remove(1, '6')).toBe(false)
      expect(await snapshotAt('v--1')).toBe('snapshot 1')
    })

    test('does not come either when its removal was read first', async () => {
      expect(await remove(1, '6')).toBe(false)
      expect(await keep(1, { rev: '5' })).toBe('outdated')
      await forgetRemovedVersions(db(), 2)
      expect(await keep(1, { rev: '5' })).toBe('kept')
    })

    test('is remembered up to a limit for each account', async () => {
      await remove(0, '6')
      await copyOnly((n) => ({ key: versionKeyOf(n) }), removedVersionsMax)
      await remove(removedVersionsMax, '6')
      const rows = await db().selectFrom('versionRecords').select('key').execute()
      expect(rows).toHaveLength(removedVersionsMax)
      await keep(removedVersionsMax, { rev: '7' })
      expect(await remove(removedVersionsMax, '8')).toBe(true)
      expect(await findVersionRecord(db(), keyOf(removedVersionsMax))).toBeNull()
    })
  })

  describe('a site with too many versions', () => {
    test('keeps the newest ones, whichever came first', async () => {
      for (let n = 1; n <= versionRecordsMax; n++) await keep(n)
      expect(await keep(versionRecordsMax + 1)).toBe('kept')
      expect(await findVersionRecord(db(), keyOf(1))).toMatchObject({
        state: 'ignored',
        label: null,
        hasContent: false,
        problems: [tooManyVersions],
      })
      expect(await snapshotAt('v--1')).toBe('gone')
      expect(await keep(0)).toBe('ignored')
      expect((await changedLabels()).at(-1)).toBe('v--0')
      const known = await knownVersionKeys(db(), alice)
      expect(known.get(versionKeyOf(1))).toBe('cid 1')
    })

    test('reads an ignored one again when there is room', async () => {
      for (let n = 0; n <= versionRecordsMax; n++) await keep(n)
      await remove(5, '9')
      const known = await knownVersionKeys(db(), alice)
      expect(known.get(versionKeyOf(0))).toBeNull()
      expect(known.get(versionKeyOf(1))).toBe('cid 1')
      expect(known.has(versionKeyOf(5))).toBe(false)
    })
  })

  test('an account keeps a bounded number of records, the newest', async () => {
    await keep(0)
    const siteOfNth = (n: number) => siteOf(`site-${n % 100}`).name
    await copyOnly(
      (n) => ({ site: siteOfNth(n), key: versionKeyOf(n + 1), label: null }),
      accountVersionRecordsMax,
    )
    expect(await keep(accountVersionRecordsMax + 1)).toBe('kept')
    expect(await findVersionRecord(db(), keyOf(0))).toBeNull()
    expect(await snapshotAt('v--0')).toBe('gone')
    expect(await keep(1)).toBe('too-many')
    expect((await knownVersionKeys(db(), alice)).size).toBe(accountVersionRecordsMax)
  })

  describe('a preview', () => {
    const preview = { manifest: null, alias: 'pr-12', expiresAt: 100 }

    test('tells the edge that the site’s aliases lead elsewhere', async () => {
      await keep(1, preview)
      expect(await changed()).toHaveLength(2)
    })

    test('is gone when it has expired, before and after its content is dropped', async () => {
      await keep(1, preview)
      expect(await snapshotAt('v--1', 99)).toBe('snapshot 1')
      expect(await snapshotAt('v--1', 100)).toBe('gone')
      expect(await expireVersions(db(), 99)).toBe(0)
      expect(await expireVersions(db(), 100)).toBe(1)
      expect(await findVersionSnapshot(db(), keyOf(1))).toBeNull()
      expect(await at('v--1', 50)).toEqual({ ...blog, isGone: true })
      expect((await findVersionRecord(db(), keyOf(1)))?.state).toBe('kept')
      expect(await changed()).toHaveLength(4)
    })
  })

  test('visitors get nothing of a hidden account or a site that is offline', async () => {
    await keep(1)
    await keep(2)
    await remove(2, '9')
    await setAccountStatus(db(), alice, 'deactivated', 2)
    expect((await changedLabels()).at(-1)).toBe('v--1')
    expect(await at('v--1')).toBeNull()
    expect(await at('v--2')).toBeNull()
    await setAccountStatus(db(), alice, 'active', 3)
    expect(await snapshotAt('v--1')).toBe('snapshot 1')
    const by = { reason: 'abuse', actor: 'admin' }
    await putTakedown(db(), { did: alice, site: blog.name, status: 451, at: 4, ...by })
    expect(await at('v--1')).toBeNull()
    expect(await at('v--2')).toBeNull()
  })

  test('an unknown account keeps nothing, and a deleted one leaves nothing', async () => {
    expect(await keep(1, { did: bob })).toBe('not-known')
    await keep(1)
    await keep(2)
    await beginForget(db(), blog, keyOf(2), 3)
    await remove(2, '9')
    await inTransaction(db(), (transaction) => removeIndexRows(transaction, alice, 5))
    for (const table of ['versionRecords', 'forgottenVersions', 'unfinishedForgets'] as const) {
      expect(await db().selectFrom(table).selectAll().execute()).toEqual([])
    }
    expect((await changedLabels()).at(-1)).toBe('v--1')
  })
})
