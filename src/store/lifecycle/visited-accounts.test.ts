import { describe, expect, test } from 'bun:test'
import { setAccountStatus } from '#store/accounts/account-status.ts'
import { findAccount, upsertAccount } from '#store/accounts/accounts.ts'
import { readChanges } from '#store/database/changes.ts'
import { enqueueAccounts } from '#store/queues/enqueue.ts'
import { recordVersion } from '#store/sites/record-version.ts'
import { findSite } from '#store/sites/sites.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { alice, bob, newVersion, siteOf } from '#tests/support/database/sample-rows.ts'
import { askedAt, clearWork } from '#tests/support/database/work-rows.ts'
import {
  deleteDroppedBefore,
  deleteUnmetBefore,
  discoverAccount,
  dropVisited,
  isVisitedOnly,
  keepAllForGood,
  keepListedForGood,
  listLeastVisited,
  rememberSignedIn,
  rememberVisited,
  touchVisited,
  visitedUsage,
} from './visited-accounts.ts'

onEachStore('store/lifecycle/visited-accounts', (db) => {
  const aliceBlog = siteOf('blog')
  const bobBlog = siteOf('blog', bob)
  const snapshot = '{"files":["é"]}'
  const text = Buffer.byteLength(snapshot)
  const publish = (site = aliceBlog, bytes = 1000, rev = '1') =>
    recordVersion(
      db(),
      newVersion({ site, bytes, rev, snapshot, recordCid: rev, label: `s--${site.did}` }),
      1,
    )
  const visit = async (did: typeof alice, now: number) => {
    await rememberVisited(db(), did, now)
    await upsertAccount(db(), { did }, now)
  }

  test('an account that is known already is not only visited', async () => {
    await upsertAccount(db(), { did: alice }, 1)
    await rememberVisited(db(), alice, 2)
    expect(await isVisitedOnly(db(), alice)).toBe(false)
    expect(await listLeastVisited(db(), 9)).toEqual([])
  })

  test('the least recently visited account comes first', async () => {
    await visit(alice, 1)
    await visit(bob, 2)
    expect(await listLeastVisited(db(), 9)).toEqual([alice, bob])
    await touchVisited(db(), [alice, alice], 3)
    expect(await listLeastVisited(db(), 1)).toEqual([bob])
    await rememberVisited(db(), bob, 4)
    expect(await listLeastVisited(db(), 1)).toEqual([alice])
  })

  test('an account that was not met comes before those that were, whenever it was visited', async () => {
    await visit(bob, 1)
    await rememberVisited(db(), alice, 2)
    expect(await listLeastVisited(db(), 9)).toEqual([alice, bob])
    await upsertAccount(db(), { did: alice }, 3)
    expect(await listLeastVisited(db(), 9)).toEqual([bob, alice])
  })

  test('only visited accounts’ files and snapshots count, also of replaced versions', async () => {
    await visit(alice, 1)
    await upsertAccount(db(), { did: bob }, 1)
    await publish(aliceBlog, 1000, '1')
    await publish(aliceBlog, 500, '2')
    await publish(bobBlog, 70_000, '1')
    expect(await visitedUsage(db(), 0)).toEqual({
      accounts: 1,
      bytes: 1500 + 2 * text,
      droppedBytes: 0,
    })
  })

  test('dropping deletes the account and its sites, and appends changes', async () => {
    await visit(alice, 1)
    await publish()
    const told = (await readChanges(db(), 0)).length
    expect(await dropVisited(db(), alice, 10)).toBe(1000)
    expect(await findAccount(db(), alice)).toBeNull()
    expect(await findSite(db(), aliceBlog)).toBeNull()
    expect((await readChanges(db(), 0)).length).toBe(told + 1)
    expect(await listLeastVisited(db(), 9)).toEqual([])
    expect(await dropVisited(db(), alice, 11)).toBeNull()
  })

  test('dropped accounts count until their blobs are deleted', async () => {
    await visit(alice, 1)
    await publish()
    await dropVisited(db(), alice, 10)
    expect(await visitedUsage(db(), 10)).toEqual({ accounts: 0, bytes: 0, droppedBytes: 1000 })
    expect(await visitedUsage(db(), 11)).toEqual({ accounts: 0, bytes: 0, droppedBytes: 0 })
    await deleteDroppedBefore(db(), 10)
    expect((await visitedUsage(db(), 0)).droppedBytes).toBe(1000)
    await deleteDroppedBefore(db(), 11)
    expect((await visitedUsage(db(), 0)).droppedBytes).toBe(0)
  })

  test('an account that is visited again counts once', async () => {
    await visit(alice, 1)
    await publish()
    await dropVisited(db(), alice, 10)
    await visit(alice, 11)
    await publish()
    expect(await isVisitedOnly(db(), alice)).toBe(true)
    expect(await visitedUsage(db(), 0)).toEqual({
      accounts: 1,
      bytes: 1000 + text,
      droppedBytes: 0,
    })
  })

  test('an account that has signed in is never dropped', async () => {
    await visit(alice, 1)
    await visit(bob, 1)
    await rememberSignedIn(db(), { did: alice }, 1)
    await keepListedForGood(db(), [bob])
    expect(await listLeastVisited(db(), 9)).toEqual([])
    await publish()
    expect(await dropVisited(db(), alice, 10)).toBeNull()
    expect(await findSite(db(), aliceBlog)).not.toBeNull()
  })

  describe('an account that has sites becomes known,', () => {
    const meet = (did = alice) => discoverAccount(db(), { did, handle: null }, 5)

    test('once, and its status stays', async () => {
      expect(await meet()).toBe(true)
      await setAccountStatus(db(), alice, 'suspended', 6)
      expect(await meet()).toBe(true)
      expect(await findAccount(db(), alice)).toMatchObject({ status: 'suspended' })
    })

    test('but not one that was dropped, until there is a reason again', async () => {
      await rememberVisited(db(), alice, 1)
      expect(await dropVisited(db(), alice, 2)).toBe(0)
      expect(await meet()).toBe(false)
      expect(await findAccount(db(), alice)).toBeNull()
      await rememberVisited(db(), alice, 3)
      expect(await meet()).toBe(true)
      expect(await isVisitedOnly(db(), alice)).toBe(true)

      await dropVisited(db(), alice, 4)
      await keepListedForGood(db(), [alice])
      expect(await meet()).toBe(true)
      await visit(bob, 1)
      await dropVisited(db(), bob, 4)
      await keepAllForGood(db())
      expect(await meet(bob)).toBe(true)
    })
  })

  test('dropping an account while its site is recorded leaves no row', async () => {
    for (let round = 0; round < 20; round++) {
      await visit(alice, 1)
      await Promise.all([publish(), dropVisited(db(), alice, 2)])
      expect(await findSite(db(), aliceBlog)).toBeNull()
    }
  })

  test('when all accounts are kept, none is only visited', async () => {
    await visit(alice, 1)
    await keepAllForGood(db())
    expect(await isVisitedOnly(db(), alice)).toBe(false)
  })

  test('an account without sites is forgotten after a while, but not while it is queued', async () => {
    await rememberVisited(db(), alice, 1)
    await enqueueAccounts(askedAt(db(), 1), [alice], { isUrgent: true })
    await visit(bob, 1)
    await deleteUnmetBefore(db(), 5)
    expect(await listLeastVisited(db(), 9)).toEqual([alice, bob])
    await clearWork(db(), 'account')
    await deleteUnmetBefore(db(), 1)
    expect(await listLeastVisited(db(), 9)).toEqual([alice, bob])
    await deleteUnmetBefore(db(), 5)
    expect(await listLeastVisited(db(), 9)).toEqual([bob])
  })

  test('an account that signs in during visits and drops stays', async () => {
    await visit(alice, 1)
    await Promise.all([
      dropVisited(db(), alice, 2),
      rememberSignedIn(db(), { did: alice }, 2),
      rememberVisited(db(), alice, 2),
    ])
    expect(await findAccount(db(), alice)).not.toBeNull()
    expect(await isVisitedOnly(db(), alice)).toBe(false)
  })
})
