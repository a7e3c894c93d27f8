import type { Did } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import { parkedAt } from '#store/queues/work-items.ts'
import { workRows } from './work-rows.ts'

interface QueuedAccount {
  readonly did: Did
  readonly attempts: number
  readonly error: string | null
  /** Given up until somebody asks for it. */
  readonly isParked: boolean
}

/** The account queue as it is, in the order of the DIDs. */
export async function queuedAccounts(db: Db): Promise<QueuedAccount[]> {
  const rows = await workRows(db, 'account')
  return rows.map(({ did, attempts, lastError, nextAttemptAt }) => ({
    ...{ did, attempts, error: lastError },
    isParked: nextAttemptAt === parkedAt,
  }))
}
