import { expect, test } from 'bun:test'
import { publishWhileRead } from '#tests/support/visitors/new-versions.ts'
import { startWorld } from './support/world.ts'

// Eight readers without a pause take what processor there is, and beside another such test they take a minute.
// A twentieth of `bench/soak/new-versions.ts`: a site changes all the time, and visitors get it whole.

test('ten versions under eight readers: none mixed, nothing missing, each soon visible', async () => {
  await using world = await startWorld({ environment: { INGEST: 'all' } })
  const { visits, complaints, visibleMs } = await publishWhileRead({
    ...{ network: world.network, app: world.app },
    ...{ versions: 10, readers: 8 },
  })
  expect(complaints).toEqual([])
  expect(visits).toBeGreaterThan(8)
  expect(visibleMs.length).toBe(10)
}, 120_000)
