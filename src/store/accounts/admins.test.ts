import { expect, test } from 'bun:test'
import { onEachStore } from '#tests/support/database/databases.ts'
import { addAdmin, findAdmin, listAdmins, removeAdmin } from './admins.ts'
import {
  createAdminSession,
  deleteEndedSessions,
  deleteSession,
  findAdminSession,
  touchSession,
} from './sessions.ts'

onEachStore('store/accounts/admins', (db) => {
  const idleMs = 100
  const ruth = { id: 'id-of-ruth', name: 'ruth', passwordHash: 'hash', createdAt: 1 }
  const begin = (idHash: string, adminId = ruth.id) =>
    createAdminSession(db(), { idHash, adminId, expiresAt: 1000 }, 10)
  const who = async (idHash: string, now = 10) =>
    (await findAdminSession(db(), idHash, { now, idleMs }))?.username ?? null

  test('a name has one administrator, the first', async () => {
    expect(await addAdmin(db(), ruth)).toBe(true)
    expect(await addAdmin(db(), { ...ruth, id: 'other', passwordHash: 'other' })).toBe(false)
    expect(await findAdmin(db(), 'ruth')).toEqual(ruth)
    expect(await findAdmin(db(), 'Ruth')).toBeNull()
  })

  test('one of many concurrent additions of a name succeeds', async () => {
    const ids = Array.from({ length: 20 }, (_, i) => `id-${i}`)
    const added = await Promise.all(ids.map((id) => addAdmin(db(), { ...ruth, id })))
    expect(added.filter(Boolean)).toHaveLength(1)
  })

  test('they are listed by name', async () => {
    for (const name of ['ruth', 'ada', 'Zoe']) await addAdmin(db(), { ...ruth, id: name, name })
    expect((await listAdmins(db())).map(({ name }) => name)).toEqual(['Zoe', 'ada', 'ruth'])
  })

  test('removing one ends only its own sessions', async () => {
    await addAdmin(db(), ruth)
    await addAdmin(db(), { ...ruth, id: 'id-of-ada', name: 'ada' })
    await begin('a')
    await begin('b', 'id-of-ada')
    expect(await removeAdmin(db(), 'ruth')).toBe(true)
    expect(await removeAdmin(db(), 'ruth')).toBe(false)
    expect([await who('a'), await who('b')]).toEqual([null, 'ada'])
    expect(await db().selectFrom('adminSessions').selectAll().execute()).toHaveLength(1)
  })

  test('a removed administrator’s session has ended, even when the name is used again', async () => {
    await addAdmin(db(), ruth)
    await removeAdmin(db(), 'ruth')
    await begin('a')
    expect(await who('a')).toBeNull()
    await addAdmin(db(), { ...ruth, id: 'another-ruth' })
    expect(await who('a')).toBeNull()
  })

  test('a session ends when it was not seen for long enough, and at its time', async () => {
    await addAdmin(db(), ruth)
    await begin('a')
    expect([await who('a', 109), await who('a', 110)]).toEqual(['ruth', null])
    await touchSession(db(), 'adminSessions', 'a', 999)
    expect([await who('a', 999), await who('a', 1000)]).toEqual(['ruth', null])
    await deleteSession(db(), 'adminSessions', 'a')
    expect(await who('a', 999)).toBeNull()
  })

  test('only ended sessions are swept', async () => {
    const left = async () =>
      (await db().selectFrom('adminSessions').select('idHash').execute()).map((row) => row.idHash)
    await begin('a')
    await begin('b')
    await touchSession(db(), 'adminSessions', 'b', 20)
    await deleteEndedSessions(db(), 'adminSessions', { now: 110, idleMs })
    expect(await left()).toEqual(['b'])
    await touchSession(db(), 'adminSessions', 'b', 999)
    await deleteEndedSessions(db(), 'adminSessions', { now: 1000, idleMs })
    expect(await left()).toEqual([])
  })
})
