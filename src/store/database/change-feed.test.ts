import { expect, test } from 'bun:test'
import { recordingLog } from '#tests/support/api.ts'
import { memoryDatabase } from '#tests/support/database/databases.ts'
import { siteOf } from '#tests/support/database/sample-rows.ts'
import { eventually } from '#tests/support/eventually.ts'
import { followChanges } from './change-feed.ts'
import { appendChange, type Change } from './changes.ts'
import { WakeUps } from './wake-ups.ts'

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
  const seq = await appendChange(db, siteOf('blog'), 2)
  wakeUps.notify('changes')
  await eventually(async () => expect(one.told.at(-1)).toMatchObject([{ kind: 'site', seq }]))
  stop.abort()
  await following
  expect(other.told).toHaveLength(one.told.length)
  for (const [i, told] of other.told.entries()) expect(told).toBe(one.told[i] as never)
})
