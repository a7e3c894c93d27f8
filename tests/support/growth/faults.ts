import { expect } from 'bun:test'
import { eventually } from '#tests/support/eventually.ts'
import type { GrowthPlace } from './growth-place.ts'
import type { Instance } from './instance.ts'
import type { TcpSwitch } from './tcp-switch.ts'

type Fault = (place: GrowthPlace) => Promise<void>

/** What happens to servers and machines, each until all is as it was. */
export const faults: Readonly<Record<string, Fault>> = {
  'PostgreSQL is restarted': (place) => place.postgres.restart(),

  'the primary dies, and its standby takes its place': async (place) => {
    await place.switchOver()
    await place.postgres.addStandby()
  },

  'an instance is killed': async (place) => {
    const dead = await instanceOfDuty(place)
    await dead.end('SIGKILL')
    await othersTakeOver(place, dead)
    await dead.start()
  },

  'an instance is stopped for longer than its leases, and continues': async (place) => {
    const stopped = await instanceOfDuty(place)
    stopped.signal('SIGSTOP')
    await othersTakeOver(place, stopped)
    stopped.signal('SIGCONT')
  },

  'an instance is cut off from the database for longer than its leases': async (place) => {
    const lonely = await instanceOfDuty(place)
    lonely.database.cut()
    await othersTakeOver(place, lonely)
    lonely.database.mend()
  },

  'the bucket is away': async (place) => {
    const buckets = place.instances.map(({ bucket }) => bucket)
    for (const bucket of buckets) bucket.refuse()
    await triedWhileAway(buckets)
    for (const bucket of buckets) bucket.mend()
  },

  'the instances are cut off from each other': async (place) => {
    const cables = place.instances.map(({ internal }) => internal)
    for (const cable of cables) cable.refuse()
    await triedWhileAway(cables)
    for (const cable of cables) cable.mend()
  },
}

async function instanceOfDuty({ instances }: GrowthPlace): Promise<Instance> {
  return await eventually(async () => {
    for (const instance of instances) if (await instance.hasDuty('firehose')) return instance
    throw new Error('nobody reads the firehose')
  })
}

const othersTakeOver = (place: GrowthPlace, former: Instance): Promise<void> =>
  eventually(async () => expect(await instanceOfDuty(place)).not.toBe(former))

/** What is sent meanwhile finds it away. */
const triedWhileAway = (cables: readonly TcpSwitch[]): Promise<void> =>
  eventually(async () => {
    for (const { tried } of cables) expect(tried).toBeGreaterThan(0)
  })
