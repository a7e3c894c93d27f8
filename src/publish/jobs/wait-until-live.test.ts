import { expect, test } from 'bun:test'
import { WakeUps } from '#store/database/wake-ups.ts'
import { memoryDatabase } from '#tests/support/database/databases.ts'
import { alice, removedSites, siteOf } from '#tests/support/database/sample-rows.ts'
import { watchIngest } from './ingest-watch.ts'
import { type Visibility, waitUntilLive } from './wait-until-live.ts'

/** Ten seconds are over with the third look. */
async function waitFor(name: string, sites: number): Promise<Visibility> {
  await using database = await memoryDatabase()
  const { db } = database
  await db.insertInto('sites').values(removedSites(sites)).execute()
  const wakeUps = new WakeUps()
  let time = 0
  const elapsed = () => {
    wakeUps.notify('ingested')
    time += 4_000
    return time
  }
  const { signal } = new AbortController()
  const watch = watchIngest({ wakeUps, elapsed }, signal)
  return await waitUntilLive(siteOf(name, alice), 'cid', db, watch)
}

test('a site for which another one took the last place fails with the reason', async () => {
  expect(await waitFor('another', 1000)).toEqual({
    kind: 'refused',
    sentence:
      'The site is in your repository, but cannot be served. An account can have 1000 sites here. Delete one; a day after that there is room for another.',
  })
})

test.each([
  ['there is room', 'another', 999],
  ['it has its place', 'removed-5', 1000],
])('one that only takes longer is not refused: %s', async (_, name, sites) => {
  expect(await waitFor(name, sites)).toEqual({ kind: 'pending' })
})
