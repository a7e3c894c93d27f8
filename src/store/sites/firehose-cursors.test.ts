import { expect, test } from 'bun:test'
import { onEachStore } from '#tests/support/database/databases.ts'
import { firehoseSeenAt, readFirehoseCursor, saveFirehoseCursor } from './firehose-cursors.ts'

onEachStore('store/sites/firehose-cursors', (db) => {
  test('each source has its own cursor, none at first', async () => {
    await saveFirehoseCursor(db(), 'wss://a.test', 1_763_690_000_000_000, 1)
    await saveFirehoseCursor(db(), 'wss://b.test', 7, 1)
    expect(await readFirehoseCursor(db(), 'wss://a.test')).toBe(1_763_690_000_000_000)
    expect(await readFirehoseCursor(db(), 'wss://b.test')).toBe(7)
    expect(await readFirehoseCursor(db(), 'wss://c.test')).toBeNull()
  })

  test('the last event is that of any source', async () => {
    expect(await firehoseSeenAt(db())).toBeNull()
    await saveFirehoseCursor(db(), 'wss://a.test', 9, 200)
    await saveFirehoseCursor(db(), 'wss://b.test', 5, 100)
    expect(await firehoseSeenAt(db())).toBe(200)
  })

  test('a cursor moves in either direction', async () => {
    for (const cursor of [7, 9, 2]) {
      await saveFirehoseCursor(db(), 'wss://a.test', cursor, 1)
      expect(await readFirehoseCursor(db(), 'wss://a.test')).toBe(cursor)
    }
  })
})
