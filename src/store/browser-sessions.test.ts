import { expect, test } from 'bun:test'
import { onEachStore } from '#tests/support/databases.ts'
import { alice, bob } from '#tests/support/sample-rows.ts'
import {
  countBrowserSessions,
  createBrowserSession,
  deleteBrowserSession,
  deleteExpiredBrowserSessions,
  findBrowserSession,
  touchBrowserSession,
} from './browser-sessions.ts'

await onEachStore('store/browser-sessions', (db) => {
  const idleMs = 100
  const create = (idHash: string, did = alice) =>
    createBrowserSession(db(), { idHash, did, expiresAt: 1000 }, 10)
  const isFound = async (now: number) =>
    (await findBrowserSession(db(), 'a', { now, idleMs })) !== null

  test('a session is found by the hash of its id', async () => {
    await create('a')
    expect(await findBrowserSession(db(), 'a', { now: 10, idleMs })).toEqual({
      idHash: 'a',
      did: alice,
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
    await touchBrowserSession(db(), 'a', 50)
    expect(await isFound(149)).toBe(true)
    expect(await isFound(150)).toBe(false)
  })

  test('it ends at its time, however often it was seen', async () => {
    await create('a')
    await touchBrowserSession(db(), 'a', 999)
    expect(await isFound(999)).toBe(true)
    expect(await isFound(1000)).toBe(false)
  })

  test('deleting one leaves the others', async () => {
    await create('a')
    await create('b')
    await create('c', bob)
    await deleteBrowserSession(db(), 'a')
    expect(await isFound(10)).toBe(false)
    expect(await countBrowserSessions(db(), alice)).toBe(1)
    expect(await countBrowserSessions(db(), bob)).toBe(1)
  })

  test('exactly the ended ones are swept', async () => {
    await create('a')
    await create('b')
    await touchBrowserSession(db(), 'b', 20)
    await deleteExpiredBrowserSessions(db(), { now: 110, idleMs })
    expect(await countBrowserSessions(db(), alice)).toBe(1)
    await touchBrowserSession(db(), 'b', 999)
    await deleteExpiredBrowserSessions(db(), { now: 1000, idleMs })
    expect(await countBrowserSessions(db(), alice)).toBe(0)
  })
})
