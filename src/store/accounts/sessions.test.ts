import { expect, test } from 'bun:test'
import { browserSessionsMax } from '#site/limits.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { alice, bob } from '#tests/support/database/sample-rows.ts'
import {
  createBrowserSession,
  deleteBrowserSessionOf,
  deleteEndedSessions,
  deleteSession,
  findBrowserSession,
  listBrowserSessions,
  touchSession,
} from './sessions.ts'

onEachStore('store/accounts/sessions', (db) => {
  const idleMs = 100
  /** No session has ended yet. */
  const clock = { now: 0, idleMs }
  const countOf = async (did = alice, at = clock) =>
    (await listBrowserSessions(db(), did, at)).length
  const create = (idHash: string, did = alice) =>
    createBrowserSession(db(), { idHash, did, expiresAt: 1000 }, 10)
  const isFound = async (now: number) =>
    (await findBrowserSession(db(), 'a', { now, idleMs })) !== null

  test('a session is found by the hash of its id', async () => {
    await create('a')
    expect(await findBrowserSession(db(), 'a', { now: 10, idleMs })).toEqual({
      idHash: 'a',
      did: alice,
      device: null,
      authority: null,
      createdAt: 10,
      seenAt: 10,
      expiresAt: 1000,
    })
    expect(await findBrowserSession(db(), 'b', { now: 10, idleMs })).toBeNull()
  })

  test('it ends when it was not seen for long enough', async () => {
    await create('a')
    expect(await isFound(109)).toBe(true)
    expect(await isFound(110)).toBe(false)
    await touchSession(db(), 'browserSessions', 'a', 50)
    expect(await isFound(149)).toBe(true)
    expect(await isFound(150)).toBe(false)
  })

  test('it ends at its time, however often it was seen', async () => {
    await create('a')
    await touchSession(db(), 'browserSessions', 'a', 999)
    expect(await isFound(999)).toBe(true)
    expect(await isFound(1000)).toBe(false)
  })

  test('deleting one leaves the others', async () => {
    await create('a')
    await create('b')
    await create('c', bob)
    await deleteSession(db(), 'browserSessions', 'a')
    expect(await isFound(10)).toBe(false)
    expect(await countOf(alice)).toBe(1)
    expect(await countOf(bob)).toBe(1)
  })

  test('an account’s most recently used sessions are kept and listed, up to a limit', async () => {
    await create('bobs', bob)
    for (let n = 0; n < browserSessionsMax; n++) {
      await createBrowserSession(db(), { idHash: `${n}`, did: alice, expiresAt: 1000 }, 10 + n)
    }
    await touchSession(db(), 'browserSessions', '0', 200)
    await createBrowserSession(db(), { idHash: 'newest', did: alice, expiresAt: 1000 }, 200)
    const listed = await listBrowserSessions(db(), alice, { now: 200, idleMs: 1000 })
    expect(listed).toHaveLength(browserSessionsMax)
    const ids = listed.map(({ idHash }) => idHash)
    expect([ids.slice(0, 2), ids.includes('1')]).toEqual([['newest', '0'], false])
    // Many begin in the same millisecond: the newest is never deleted.
    for (const idHash of Array.from({ length: browserSessionsMax + 9 }, () =>
      crypto.randomUUID(),
    )) {
      await createBrowserSession(db(), { idHash, did: alice, expiresAt: 1000 }, 200)
      expect(await findBrowserSession(db(), idHash, { now: 200, idleMs })).not.toBeNull()
    }
    expect(await countOf(alice)).toBe(browserSessionsMax)
    expect(await countOf(bob)).toBe(1)
    expect(await listBrowserSessions(db(), alice, { now: 1000, idleMs: 1000 })).toEqual([])
  })

  test('an account can delete only its own sessions by their ids', async () => {
    await create('a')
    expect(await deleteBrowserSessionOf(db(), bob, 'a')).toBe(false)
    expect(await deleteBrowserSessionOf(db(), alice, 'a')).toBe(true)
    expect(await deleteBrowserSessionOf(db(), alice, 'a')).toBe(false)
  })

  test('ended sessions are not listed, deleted or not', async () => {
    await create('a')
    await create('b')
    await touchSession(db(), 'browserSessions', 'b', 20)
    const count = (now: number) => countOf(alice, { now, idleMs })
    expect([await count(109), await count(110), await count(120)]).toEqual([2, 1, 0])
    await touchSession(db(), 'browserSessions', 'b', 999)
    expect([await count(999), await count(1000)]).toEqual([1, 0])
  })

  test('only ended sessions are swept', async () => {
    await create('a')
    await create('b')
    await touchSession(db(), 'browserSessions', 'b', 20)
    await deleteEndedSessions(db(), 'browserSessions', { now: 110, idleMs })
    expect(await countOf(alice)).toBe(1)
    await touchSession(db(), 'browserSessions', 'b', 999)
    await deleteEndedSessions(db(), 'browserSessions', { now: 1000, idleMs })
    expect(await countOf(alice)).toBe(0)
  })
})
