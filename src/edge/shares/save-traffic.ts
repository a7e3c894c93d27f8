import { repeatEvery } from '#concurrency/every-or-when-woken.ts'
import type { Log } from '#observe/log.ts'
import type { Db } from '#store/database/database.ts'
import { inTransaction } from '#store/database/transaction.ts'
import { addTraffic } from '#store/sites/traffic.ts'
import { addVisitors, visitorSalt } from '#store/sites/visitors.ts'
import { addVisits } from '#store/sites/visits.ts'
import type { SiteShares } from './site-shares.ts'

/** How far behind the stored counts are, and by how long a site may send more than its bytes of a day. */
const saveEveryMs = 5_000

interface SaveContext {
  readonly db: Db
  readonly log: Log
  readonly shares: SiteShares
  readonly signal: AbortSignal
}

/** Stores what visitors took, until the signal aborts; then once more. */
export async function saveTraffic({ db, log, shares, signal }: SaveContext): Promise<void> {
  const saveCounts = () =>
    shares.save((day, { traffic, visitors, visits }) => {
      for (const { did, refused, site } of traffic) {
        if (refused > 0 && site !== '')
          log.warn('visitors of a site refused', { did, site, refused })
      }
      return inTransaction(db, async (transaction) => {
        const totals = await addTraffic(transaction, day, traffic)
        await addVisits(transaction, day, visits)
        await addVisitors(transaction, day, visitors)
        return totals
      })
    })
  const save = async () => {
    await saveCounts()
    const day = shares.saltlessDay
    if (day !== null) shares.setSalt(day, await visitorSalt(db, day))
  }
  const rhythm = { everyMs: saveEveryMs, failure: 'traffic of sites not saved' }
  await repeatEvery(rhythm, save, { log, signal })
  await saveCounts().catch((error: unknown) => log.warn(rhythm.failure, { error }))
}
