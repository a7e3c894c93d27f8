import { beforeEach, describe, expect, test } from 'bun:test'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { readChanges } from '#store/database/changes.ts'
import { chunksOf } from '#store/database/chunks.ts'
import { inTransaction } from '#store/database/transaction.ts'
import { removeIndexRows } from '#store/lifecycle/remove-account.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { alice, bob, nameOf, newVersion, siteOf } from '#tests/support/database/sample-rows.ts'
import { findServedSite } from '#tests/support/visitors/find-served-site.ts'
import { type NewVersion, recordVersion } from './record-version.ts'
import { forgetRemovedSites, removeSite } from './remove-site.ts'
import { findSite } from './sites.ts'
import { snapshotPages } from './snapshot-pages.ts'
import { listVersions } from './versions.ts'
import { awaitWithdrawal } from './withdrawals.ts'

const hourMs = 60 * 60 * 1000

onEachStore('store/sites/record-version', (db) => {
  beforeEach(async () => void (await upsertAccount(db(), { did: alice }, 1)))
  const blog = siteOf('blog')
  const record = (rev: string, facts: Partial<NewVersion> = {}, now = 1) =>
    recordVersion(db(), newVersion({ rev, recordCid: `cid ${rev}`, snapshot: rev, ...facts }), now)
  const refuse = (rev: string) => record(rev, { snapshot: null, problems: ['bad'] })
  const remove = (rev: string) => removeSite(db(), blog, rev, 1)
  const visible = async () => (await findServedSite(db(), blog))?.snapshot ?? null
  const changes = async () => (await readChanges(db(), 0)).length
  const everySnapshot = async (): Promise<string[]> =>
    (await Array.fromAsync(snapshotPages(db()))).flat().map(({ snapshot }) => snapshot)

  test('the first valid version goes live', async () => {
    expect(await record('1')).toBe('went-live')
    expect(await visible()).toBe('1')
    expect(await changes()).toBe(1)
  })

  test('a newer one replaces it', async () => {
    await record('1')
    expect(await record('2')).toBe('went-live')
    expect(await visible()).toBe('2')
    expect(await changes()).toBe(2)
  })

  test('an older one that arrives late does not, and is not stored', async () => {
    await record('2')
    expect(await record('1')).toBe('outdated')
    expect(await visible()).toBe('2')
    expect(await listVersions(db(), blog)).toHaveLength(1)
    expect(await changes()).toBe(1)
  })

  test('revisions compare as text, byte by byte', async () => {
    await record('3kzzzzzzzzzz2')
    expect(await record('3laaaaaaaaaa2')).toBe('went-live')
    expect(await record('3kzzzzzzzzzzz')).toBe('outdated')
  })

  test('a version that is live already changes nothing', async () => {
    await record('1')
    expect(await record('1', {}, 5)).toBe('already-live')
    expect(await changes()).toBe(1)
    expect(await listVersions(db(), blog)).toMatchObject([{ rev: '1', seenAt: 5 }])
  })

  describe('a version that withdraws those before it', () => {
    const replaced = async () => (await everySnapshot()).filter((text) => text !== '3')

    test('drops their snapshots when it goes live, once', async () => {
      await record('1')
      await record('2')
      await awaitWithdrawal(db(), blog, 'cid 3')
      expect(await replaced()).toEqual(['1', '2'])
      await record('3')
      expect(await replaced()).toEqual([])
      await record('4')
      expect(await everySnapshot()).toEqual(['3', '4'])
    })

    test('does so when it is live already, and appends changes for visitors and for copies', async () => {
      await record('1')
      await record('3')
      await awaitWithdrawal(db(), blog, 'cid 3')
      expect(await record('3')).toBe('already-live')
      expect(await replaced()).toEqual([])
      expect(await changes()).toBe(4)
      await record('3')
      expect(await changes()).toBe(4)
    })

    test('another one that goes live meanwhile does not', async () => {
      await record('1')
      await awaitWithdrawal(db(), blog, 'cid 3')
      await record('2')
      expect(await replaced()).toEqual(['1', '2'])
      await record('3')
      expect(await replaced()).toEqual([])
    })
  })

  test('a live version has the problems that were seen last', async () => {
    await record('2')
    const problems = async () => (await findSite(db(), blog))?.live?.problems
    const see = (rev: string, seen: string[]) =>
      record(rev, { recordCid: 'cid 2', snapshot: '2', problems: seen })
    expect(await see('3', ['bad settings'])).toBe('already-live')
    expect(await problems()).toEqual(['bad settings'])
    expect(await see('2', [])).toBe('already-live')
    expect(await problems()).toEqual(['bad settings'])
    await see('3', [])
    expect(await problems()).toEqual([])
    expect(await changes()).toBe(1)
  })

  test('a version that is still live at a later revision makes those between outdated', async () => {
    await record('1')
    expect(await record('3', { recordCid: 'cid 1', snapshot: '1' })).toBe('already-live')
    expect(await record('2')).toBe('outdated')
    expect(await record('1')).toBe('already-live')
    expect(await record('2')).toBe('outdated')
  })

  test('the same record that reads differently (settings, parts) goes live again', async () => {
    await record('1', { recordCid: 'cid' })
    expect(await record('2', { recordCid: 'cid' })).toBe('went-live')
    expect(await record('2', { recordCid: 'cid', snapshot: 'made by newer code' })).toBe(
      'went-live',
    )
    expect(await visible()).toBe('made by newer code')
  })

  test('a refused version is stored and replaces nothing', async () => {
    await record('1')
    expect(await refuse('2')).toBe('refused')
    expect(await visible()).toBe('1')
    expect(await changes()).toBe(1)
    expect(await findSite(db(), blog)).toMatchObject({
      live: { rev: '1' },
      refused: { rev: '2', problems: ['bad'] },
    })
  })

  test('only the newest refused version is kept, until a valid one follows', async () => {
    await refuse('1')
    await refuse('1')
    await refuse('2')
    expect(await listVersions(db(), blog)).toHaveLength(1)
    expect(await record('2')).toBe('went-live')
    expect(await findSite(db(), blog)).toMatchObject({ live: { rev: '2' }, refused: null })
  })

  test('a valid version older than a refused one still goes live', async () => {
    await refuse('3')
    expect(await record('2')).toBe('went-live')
    expect(await findSite(db(), blog)).toMatchObject({ live: { rev: '2' }, refused: { rev: '3' } })
  })

  test('10 versions of a site stay', async () => {
    for (let n = 10; n < 22; n++) await record(String(n))
    const revs = (await listVersions(db(), blog)).map(({ rev }) => rev)
    expect(revs).toEqual(['21', '20', '19', '18', '17', '16', '15', '14', '13', '12'])
  })

  test('the live version stays, however many newer ones were refused', async () => {
    for (let n = 40; n > 20; n--) await refuse(String(n))
    await record('11')
    await record('12')
    expect(await visible()).toBe('12')
    expect(await listVersions(db(), blog)).toHaveLength(10)
  })

  test('snapshots stay for 24 hours after they were replaced', async () => {
    await record('1', {}, 0)
    await record('2', {}, 1 * hourMs)
    await record('3', {}, 2 * hourMs)
    const kept = async () => (await everySnapshot()).sort()
    await record('4', {}, 25 * hourMs)
    expect(await kept()).toEqual(['1', '2', '3', '4'])
    await record('5', {}, 25 * hourMs + 1)
    expect(await kept()).toEqual(['2', '3', '4', '5'])
  })

  test('sites do not affect each other', async () => {
    await record('5')
    expect(await record('1', { site: siteOf('shop'), label: 's--shop' })).toBe('went-live')
    expect(await visible()).toBe('5')
  })

  test('a removed site is gone with all its versions', async () => {
    await record('1')
    await record('2')
    expect(await remove('3')).toBe(true)
    expect(await visible()).toBeNull()
    expect(await findSite(db(), blog)).toBeNull()
    expect(await everySnapshot()).toEqual([])
    expect(await changes()).toBe(3)
  })

  test('a newer record brings back a removed site, an older one does not', async () => {
    await record('1')
    await remove('3')
    expect(await record('2')).toBe('outdated')
    expect(await record('3')).toBe('outdated')
    expect(await visible()).toBeNull()
    expect(await record('4')).toBe('went-live')
    expect(await visible()).toBe('4')
  })

  test('a removal that comes before the record it follows still wins', async () => {
    expect(await remove('3')).toBe(true)
    expect(await changes()).toBe(0)
    expect(await record('2')).toBe('outdated')
  })

  test('a removal older than the live version changes nothing', async () => {
    await record('5')
    expect(await remove('4')).toBe(false)
    expect(await remove('5')).toBe(false)
    expect(await visible()).toBe('5')
    expect(await changes()).toBe(1)
  })

  test('removing twice appends one change', async () => {
    await record('1')
    expect(await remove('3')).toBe(true)
    expect(await remove('3')).toBe(false)
    expect(await remove('2')).toBe(false)
    expect(await changes()).toBe(2)
  })

  test('a removal ends refused versions up to its revision', async () => {
    await refuse('1')
    await remove('2')
    expect(await findSite(db(), blog)).toBeNull()
    await refuse('4')
    await remove('3')
    expect(await findSite(db(), blog)).toMatchObject({ live: null, refused: { rev: '4' } })
  })

  test('of many versions recorded concurrently, only the newest is live', async () => {
    const revs = ['7', '2', '9', '4', '1', '8', '3', '6', '5']
    await Promise.all(revs.map((rev) => record(rev)))
    expect(await visible()).toBe('9')
    const states = (await listVersions(db(), blog)).map(({ state }) => state)
    expect(states.filter((state) => state === 'live')).toHaveLength(1)
  })

  test('after any order of versions and removals, the newest event decides', async () => {
    const removals = ['2', '5', '8']
    await Promise.all(
      ['9', '5', '1', '8', '3', '2', '6'].map((rev) =>
        removals.includes(rev) ? remove(rev) : record(rev),
      ),
    )
    expect(await visible()).toBe('9')
    await Promise.all([record('91'), remove('92'), record('90')])
    expect(await visible()).toBeNull()
  })

  test('nothing is recorded of an unknown account, or one that is no longer known', async () => {
    const site = siteOf('blog', bob)
    const outcomes = async () => [
      await record('1', { site, label: 's--bobs' }),
      await removeSite(db(), site, '2', 1),
    ]
    expect(await outcomes()).toEqual(['not-known', false])
    await upsertAccount(db(), { did: bob }, 1)
    expect(await outcomes()).toEqual(['went-live', true])
    await inTransaction(db(), (transaction) => removeIndexRows(transaction, bob, 1))
    expect(await outcomes()).toEqual(['not-known', false])
    expect(await db().selectFrom('sites').select('did').execute()).toEqual([])
  })

  describe('with a thousand sites of an account', () => {
    const fill = async (count: number) => {
      const row = { did: alice, label: null, liveVersionId: null, removedRev: null }
      const times = { withdrawWith: null, createdAt: 1, updatedAt: 1 }
      for (const some of chunksOf(Array.from({ length: count }, (_, n) => nameOf(`site-${n}`)))) {
        const rows = some.map((name) => ({ ...row, ...times, name, removedRev: '0' }))
        await db().insertInto('sites').values(rows).execute()
      }
    }
    const names = async () =>
      (await db().selectFrom('sites').select('name').where('did', '=', alice).execute()).length

    test('one more is rejected, and leaves no row', async () => {
      await fill(999)
      expect(await record('1')).toBe('went-live')
      const another = siteOf('another')
      expect(await record('2', { site: another, label: 's--another' })).toBe('too-many')
      expect(await removeSite(db(), another, '3', 1)).toBe(false)
      expect(await findSite(db(), another)).toBeNull()
      expect(await names()).toBe(1000)
      // The known sites still change.
      expect(await record('4')).toBe('went-live')
      const known = { site: siteOf('site-5'), label: 's--five' }
      expect(await record('5', known)).toBe('went-live')
      expect(await remove('6')).toBe(true)
      expect(await record('7')).toBe('went-live')
      await upsertAccount(db(), { did: bob }, 1)
      const others = { site: siteOf('another', bob), label: 's--others' }
      expect(await record('8', others)).toBe('went-live')
    })

    test('sites that were removed a while ago are forgotten, and free their quota', async () => {
      await fill(1000)
      await db()
        .updateTable('sites')
        .set({ updatedAt: 9 })
        .where('name', '=', nameOf('site-1'))
        .execute()
      expect(await record('1')).toBe('too-many')
      await forgetRemovedSites(db(), 9)
      expect(await names()).toBe(1)
      expect(await record('1')).toBe('went-live')
      await refuse('2')
      await remove('3')
      await forgetRemovedSites(db(), 9)
      expect(await names()).toBe(1)
    })
  })

  test('concurrent transactions that record a new site all succeed', async () => {
    for (let n = 0; n < 20; n++) {
      const site = siteOf(`new-${n}`)
      const recordings = ['1', '2', '3', '4', '5', '6'].map((rev) =>
        recordVersion(db(), newVersion({ site, label: `s--new-${n}`, rev, recordCid: rev }), 1),
      )
      const removal = removeSite(db(), site, '0', 1)
      await Promise.all([...recordings, removal])
      expect((await findServedSite(db(), site))?.recordCid).toBe('6')
    }
  })
})
