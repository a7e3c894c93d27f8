import { repeatEvery } from '#concurrency/every-or-when-woken.ts'
import { dropLeastVisited } from '#ingest/drop-visited.ts'
import type { Config } from '#main/config/config.ts'
import type { Log } from '#observe/log.ts'
import type { Did } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import type { WakeUps } from '#store/database/wake-ups.ts'
import { keepAllForGood, touchVisited } from '#store/lifecycle/visited-accounts.ts'

const everyMs = 60 * 1000

interface KeepContext {
  readonly config: Pick<Config, 'ingest' | 'visitedBytesMax'>
  readonly db: Db
  readonly wakeUps: WakeUps
  readonly log: Log
  readonly now: () => number
  readonly signal: AbortSignal
  readonly snapshots: { takeVisited(): Did[] }
}

/**
 * Every minute until the signal aborts: records which accounts were visited, and deletes the least visited when the
 * quota is exceeded. With another INGEST, accounts that were only visited are deleted at once (`known`) or stay (`all`).
 */
export async function keepVisited(context: KeepContext): Promise<void> {
  const { config, db, now, snapshots } = context
  const visitedBytesMax = config.ingest === 'visited' ? config.visitedBytesMax : 0
  const lookAfter = async (): Promise<void> => {
    if (config.ingest === 'all') await keepAllForGood(db)
    await touchVisited(db, snapshots.takeVisited(), now())
    await dropLeastVisited({ ...context, visitedBytesMax })
  }
  await repeatEvery({ everyMs, failure: 'visited accounts not looked after' }, lookAfter, context)
}
