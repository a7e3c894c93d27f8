import { expect, test } from 'bun:test'
import { sql } from 'kysely'
import { onEachStore } from '#tests/support/database/databases.ts'
import { databaseNow, openClock } from './database-clock.ts'

onEachStore('store/database/database-clock', (db, dialect) => {
  test('an instance has the time of its database', async () => {
    const clock = await openClock(db())
    const { rows } = await sql<{
      at: number
    }>`select ${databaseNow(db(), Date.now())} as at`.execute(db())
    const differenceMs = Math.abs(clock.now() - (rows[0]?.at ?? 0))
    expect(differenceMs).toBeLessThan(10_000)
    expect(Number.isSafeInteger(clock.now())).toBe(true)
  })

  // Of SQLite, the machine's clock is the database's.
  if (dialect === 'sqlite') return
  test('whatever the clock of its machine says', async () => {
    const before = (await openClock(db())).now()
    const original = Date.now
    Date.now = () => original() + 300_000
    try {
      expect((await openClock(db())).now() - before).toBeLessThan(60_000)
    } finally {
      Date.now = original
    }
  })
})
