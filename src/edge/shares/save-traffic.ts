import { repeatEvery } from '#concurrency/every-or-when-woken.ts'
import type { Log } from '#observe/log.ts'
import type { UtcDay } from '#site/utc-day.ts'
import type { Db } from '#store/database/database.ts'
import { inTransaction } from '#store/database/transaction.ts'
import { addTraffic, type TrafficTotal } from '#store/sites/traffic.ts'
import { addVisitors, visitorSalt } from '#store/sites/visitors.ts'
import { addVisits } from '#store/sites/visits.ts'
import type { Counted, SiteShares } from './site-shares.ts'

/** How far behind the stored counts are, and by how long a site may send more than its bytes of a day. */
const saveEveryMs = 5_000

/** Where counts are stored. */
export interface TrafficStore {
  /** All or nothing; null: nobody knows whether they are, and they are not to be stored again. */
  readonly add: (day: UtcDay, counted: Counted) => Promise<readonly TrafficTotal[] | null>
  readonly saltOf: (day: UtcDay) => Promise<string>
}

export const trafficInRows = (db: Db): TrafficStore => ({
  add: (day, { traffic, visitors, visits }) =>
    inTransaction(db, async (transaction) => {
      const totals = await addTraffic(transaction, day, traffic)
      await addVisits(transaction, day, visits)
      await addVisitors(transaction, day, visitors)
      return totals
    }),
  saltOf: (day) => visitorSalt(db, day),
})

interface SaveContext {
  readonly store: TrafficStore
  readonly log: Log
  readonly shares: SiteShares
  readonly signal: AbortSignal
}

/** Stores what visitors took, until the signal aborts; then once more. */
export async function saveTraffic({ log, shares, signal, store }: SaveContext): Promise<void> {
  const saveCounts = () =>
    shares.save((day, counted) => {
      for (const { did, refused, site } of counted.traffic) {
        if (refused > 0 && site !== '')
          log.warn('visitors of a site refused', { did, site, refused })
      }
      return store.add(day, counted)
    })
  const save = async () => {
    await saveCounts()
    const day = shares.saltlessDay
    if (day !== null) shares.setSalt(day, await store.saltOf(day))
  }
  const logDropped = () => {
    const dropped = shares.takeDropped()
    if (dropped > 0) log.warn('traffic of sites lost: too much is not saved', { sites: dropped })
  }
  const rhythm = { everyMs: saveEveryMs, failure: 'traffic of sites not saved' }
  await repeatEvery(rhythm, () => save().finally(logDropped), { log, signal })
  await saveCounts().catch((error: unknown) => log.warn(rhythm.failure, { error }))
}
