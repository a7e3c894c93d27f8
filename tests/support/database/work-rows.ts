import type { Db } from '#store/database/database.ts'
import type { WorkKind } from '#store/database/schema.ts'
import { WakeUps } from '#store/database/wake-ups.ts'
import type { EnqueueContext } from '#store/queues/enqueue.ts'

/** For what is asked for at a time of the test's own; wakes nobody. */
export const askedAt = (db: Db, now: number): EnqueueContext => ({
  ...{ db, wakeUps: new WakeUps() },
  now: () => now,
})

/** What is in the queue, in the order of accounts and names. */
export const workRows = (db: Db, kind: WorkKind) =>
  db
    .selectFrom('workItems')
    .selectAll()
    .where('kind', '=', kind)
    .orderBy('did')
    .orderBy('site')
    .execute()

/** Takes everything of that kind out of the queue. */
export async function clearWork(db: Db, kind: WorkKind): Promise<void> {
  await db.deleteFrom('workItems').where('kind', '=', kind).execute()
}
