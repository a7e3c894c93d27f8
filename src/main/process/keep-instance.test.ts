import { expect, test } from 'bun:test'
import { findInstance, registerInstance, removeInstance } from '#store/instances.ts'
import { recordingLog } from '#tests/support/api.ts'
import { memoryDatabase } from '#tests/support/database/memory-database.ts'
import { eventually } from '#tests/support/eventually.ts'
import { keepInstance } from './keep-instance.ts'
import type { StartError } from './start-failure.ts'

const instance = { id: 'a', address: 'http://10.0.0.1:3002', roles: 'app', version: '1.0.0' }

async function place() {
  const database = await memoryDatabase()
  const lost = Promise.withResolvers<StartError>()
  const returned = Promise.withResolvers<void>()
  const kept = await keepInstance(database.db, {
    ...{ instance, log: recordingLog(), seeEveryMs: 5 },
    onLost: lost.resolve,
    onReturned: returned.resolve,
  })
  return {
    db: database.db,
    kept,
    lost: lost.promise,
    returned: returned.promise,
    async [Symbol.asyncDispose]() {
      await kept[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

test('an instance is seen again and again, and removed at its end', async () => {
  await using here = await place()
  const seenAt = async () => (await findInstance(here.db, 'a'))?.seenAt ?? 0
  const first = await seenAt()
  await eventually(async () => expect(await seenAt()).toBeGreaterThan(first))
  await here.kept[Symbol.asyncDispose]()
  expect(await findInstance(here.db, 'a')).toBeNull()
})

test('one that was taken for gone registers again and learns it', async () => {
  await using here = await place()
  const { run = '' } = (await findInstance(here.db, 'a')) ?? {}
  await removeInstance(here.db, { id: 'a', run })
  await here.returned
  expect(await findInstance(here.db, 'a')).toMatchObject(instance)
})

test('of two with one id, as copies of a data folder have it, the first stops', async () => {
  await using here = await place()
  await registerInstance(here.db, { ...instance, run: 'another' })
  expect((await here.lost).message).toContain('another Sitehost runs with the id of this instance')
  await here.kept[Symbol.asyncDispose]()
  expect(await findInstance(here.db, 'a')).toMatchObject({ run: 'another' })
})
