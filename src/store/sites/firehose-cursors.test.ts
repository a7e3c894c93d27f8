import { expect, test } from 'bun:test'
import { onEachStore } from '#tests/support/database/databases.ts'
import { readFirehoseCursor, saveFirehoseCursor } from './firehose-cursors.ts'

onEachStore('store/sites/firehose-cursors', (db) => {
  test('each source has its own cursor, none at first', async () => {
    await saveFirehoseCursor(db(), 'wss://a.test', 1_763_690_000_000_000, 1)
    await saveFirehoseCursor(db(), 'wss://b.test', 7, 1)
    expect(await readFirehoseCursor(db(), 'wss://a.test')).toBe(1_763_690_000_000_000)
    expect(await readFirehoseCursor(db(), 'wss://b.test')).toBe(7)
    expect(await readFirehoseCursor(db(), 'wss://c.test')).toBeNull()
  })

  test('a cursor moves in either direction', async () => {
    for (const cursor of [7, 9, 2]) {
      await saveFirehoseCursor(db(), 'wss://a.test', cursor, 1)
      expect(await readFirehoseCursor(db(), 'wss://a.test')).toBe(cursor)
    }
  })
})
