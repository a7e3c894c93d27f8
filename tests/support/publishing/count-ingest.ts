import type { Db } from '#store/database/database.ts'
import { parkedAt } from '#store/queues/work-items.ts'

/** Sites in the ingest queue that wait or are looked at; what is parked does neither. */
export async function countIngest(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('workItems')
    .where('kind', '=', 'site')
    .where('nextAttemptAt', '<', parkedAt)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}
