import { afterAll, beforeAll, expect, test } from 'bun:test'
import { faults } from './support/growth/faults.ts'
import { GrowthPlace } from './support/growth/growth-place.ts'
import { fakeClock } from './support/growth/instance.ts'
import { clean } from './support/growth/ledger.ts'
import { postgresPrograms } from './support/growth/postgres-pair.ts'
import { available } from './support/require.ts'
import { nginxProgram } from './support/servers/nginx.ts'

// Two instances at work while servers and machines fail (`bench/soak/growth.ts` for more).

const isHere = await available('several instances while servers fail', async () => {
  if (nginxProgram === null) throw new Error('nginx is missing')
  if (postgresPrograms === undefined) throw new Error('PostgreSQL is missing')
  if (fakeClock === undefined) throw new Error('faketime is missing')
})

if (isHere) {
  let place: GrowthPlace
  beforeAll(async () => {
    place = await GrowthPlace.start({ publishers: 4, claimers: 3, visitorPauseMs: 20 })
  }, 120_000)
  afterAll(async () => {
    await place?.[Symbol.asyncDispose]()
  }, 60_000)

  test('the clocks of the instances are five minutes apart', async () => {
    const [one = 0, two = 0] = await Promise.all(
      place.instances.map(async ({ port }) => {
        const { headers } = await fetch(`http://127.0.0.1:${port}/healthz`)
        return Date.parse(headers.get('date') ?? '')
      }),
    )
    expect(Math.round((two - one) / 60_000)).toBe(5)
  })

  test.each(Object.keys(faults))('nothing is lost, done twice or torn while %s', async (name) => {
    expect(await place.during(async () => await faults[name]?.(place))).toEqual(clean)
  })

  test('no visit and no upload fails while the instances are replaced one after the other', async () => {
    const uploaders = place.publishers.filter(({ isDeployer }) => !isDeployer)
    for (const { refused } of uploaders) refused.length = 0
    const load = place.load(8, 20)
    expect(await place.during(() => place.replaceAll())).toEqual(clean)
    await load.stop()
    expect(load.lost).toEqual([])
    expect(load.answered).toBeGreaterThan(100)
    expect(uploaders.flatMap(({ refused }) => refused)).toEqual([])
  })

  test('all were at work', () => {
    expect(place.visitors.visits).toBeGreaterThan(1000)
    const { given, wanted } = place.names
    expect(given).toBeGreaterThan(wanted / 2)
  })
}
