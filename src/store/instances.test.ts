import { expect, test } from 'bun:test'
import { onEachStore } from '#tests/support/database/databases.ts'
import {
  findInstance,
  findInstanceWith,
  listInstances,
  type NewInstance,
  registerInstance,
  removeInstance,
  seeInstance,
} from './instances.ts'

const first: NewInstance = {
  ...{ id: 'a', run: 'first', address: 'http://10.0.0.1:3002' },
  ...{ roles: 'app,edge,ingest', version: '1.0.0' },
}
const second: NewInstance = { ...first, run: 'second', address: 'http://10.0.0.2:3002' }
const other: NewInstance = { ...first, id: 'b', roles: 'app' }

onEachStore('store/instances', (db) => {
  test('an instance that registers is listed with what it says of itself', async () => {
    await registerInstance(db(), first)
    const listed = await listInstances(db())
    expect(listed).toMatchObject([first])
    expect(listed[0]?.seenAgoMs).toBeWithin(0, 60_000)
    expect(listed[0]?.seenAt).toBe(listed[0]?.startedAt ?? 0)
  })

  test('it is seen until another run registers with its id, or it is removed', async () => {
    await registerInstance(db(), first)
    expect(await seeInstance(db(), first)).toBe('seen')
    await registerInstance(db(), second)
    expect(await seeInstance(db(), first)).toBe('replaced')
    await removeInstance(db(), first)
    expect(await findInstance(db(), 'a')).toMatchObject(second)
    await removeInstance(db(), second)
    expect(await seeInstance(db(), second)).toBe('removed')
  })

  test('an instance with a role is found', async () => {
    await registerInstance(db(), other)
    expect(await findInstanceWith(db(), 'ingest')).toBeNull()
    expect(await findInstanceWith(db(), 'app')).toMatchObject(other)
    await registerInstance(db(), first)
    expect(await findInstanceWith(db(), 'ingest')).toMatchObject(first)
  })
})
