import { expect, test } from 'bun:test'
import { recordingLog } from '#tests/support/api.ts'
import { memoryDatabase } from '#tests/support/database/databases.ts'
import { siteOf } from '#tests/support/database/sample-rows.ts'
import { eventually } from '#tests/support/eventually.ts'
import { followChanges } from './change-feed.ts'
import { appendChange, type Change, latestChangeSeq } from './changes.ts'
import { WakeUps } from './wake-ups.ts'

test('a promoted standby that lacks the newest changes makes subscribers start afresh', async () => {
  await using database = await memoryDatabase()
  const { db } = database
  await appendChange(db, siteOf('before'), 1)
  const kept = await latestChangeSeq(db)
  await appendChange(db, siteOf('blog'), 2)
  const lost = await latestChangeSeq(db)
  const told: ('afresh' | readonly number[])[] = []
  const subscriber = {
    startAfresh: () => void told.push('afresh'),
    follow: (changes: readonly Change[]) => void told.push(changes.map(({ seq }) => seq)),
  }
  const [wakeUps, stop] = [new WakeUps(), new AbortController()]
  const { signal } = stop
  const following = followChanges([subscriber], { db, wakeUps, log: recordingLog(), signal })
  await eventually(async () => expect(told).toEqual(['afresh', []]))
  await db.deleteFrom('changes').where('seq', '=', lost).execute()
  wakeUps.notify('changes')
  await eventually(async () => expect(told).toEqual(['afresh', [], 'afresh', []]))
  // Its number again, for another change.
  const { createdAt } = await db.selectFrom('changes').selectAll().executeTakeFirstOrThrow()
  await db
    .insertInto('changes')
    .values({ kind: 'site', label: 'other', host: null, createdAt, seq: kept + 1 })
    .execute()
  wakeUps.notify('changes')
  await eventually(async () => expect(told.at(-1)).toEqual([lost]))
  stop.abort()
  await following
})

test('subscribers start afresh, and share all later readings', async () => {
  await using database = await memoryDatabase()
  const { db } = database
  await appendChange(db, siteOf('before'), 1)
  const subscriber = () => {
    const told: ('afresh' | readonly Change[])[] = []
    return {
      told,
      startAfresh: () => void told.push('afresh'),
      follow: (changes: readonly Change[]) => void told.push(changes),
    }
  }
  const [one, other] = [subscriber(), subscriber()]
  const [wakeUps, stop] = [new WakeUps(), new AbortController()]
  const { signal } = stop
  const following = followChanges([one, other], { db, wakeUps, log: recordingLog(), signal })
  await eventually(async () => expect(one.told).toEqual(['afresh', []]))
  await appendChange(db, siteOf('blog'), 2)
  const seq = await latestChangeSeq(db)
  wakeUps.notify('changes')
  await eventually(async () => expect(one.told.at(-1)).toMatchObject([{ kind: 'site', seq }]))
  stop.abort()
  await following
  expect(other.told).toHaveLength(one.told.length)
  for (const [i, told] of other.told.entries()) expect(told).toBe(one.told[i] as never)
})
