import type { Db } from '#store/database/database.ts'
import { parkedAt } from '#store/queues/parked.ts'

/** Sites in the ingest queue that wait or are looked at; what is parked does neither. */
export async function countIngest(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('ingestQueue')
    .where('nextAttemptAt', '<', parkedAt)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}
