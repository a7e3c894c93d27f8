import { expect, test } from 'bun:test'
import { onEachStore } from '#tests/support/database/databases.ts'
import { findServer, rememberServer } from './servers.ts'

onEachStore('store/sites/servers', (db) => {
  test('facts about a server are stored and can change', async () => {
    expect(await findServer(db(), 'pds.test')).toBeNull()
    for (const sniffsGzip of [true, false]) {
      await rememberServer(db(), { host: 'pds.test', sniffsGzip }, 1)
      expect(await findServer(db(), 'pds.test')).toEqual({
        host: 'pds.test',
        sniffsGzip,
        updatedAt: 1,
      })
    }
  })
})
