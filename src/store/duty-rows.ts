import { sql } from 'kysely'
import type { Db } from './database/database.ts'
import { databaseNow, databaseTimeIn } from './database/database-clock.ts'
import type { DutyName } from './database/schema.ts'
import { isPostgres } from './database/transaction.ts'
import { type WakeUpTopic, wakeUpChannel } from './database/wake-ups.ts'

/** Of a transaction that has locked a duty; shorter than a lease. */
const idleMsMax = '5000'

/** One holder's time with a duty. The epoch tells it from all others, earlier ones of the same holder too. */
export interface DutyEpoch {
  readonly name: DutyName
  readonly holder: string
  readonly epoch: number
}

interface Take {
  readonly holder: string
  readonly leaseMs: number
  /** On SQLite; PostgreSQL has its own. */
  readonly now: number
}

/** Takes those that nobody holds, and renews those of this holder; returns them. In one statement, by the database's clock. */
export async function takeDuties(
  db: Db,
  names: readonly DutyName[],
  { holder, leaseMs, now }: Take,
): Promise<DutyEpoch[]> {
  if (names.length === 0) return []
  const leasedUntil = databaseTimeIn(db, leaseMs, now)
  const rows = names
    // In one order: two instances that lock the same rows must not wait for each other.
    .toSorted()
    .map((name) => ({ name, holder, epoch: 1, leasedUntil }))
  const taken = db
    .insertInto('duties')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet(({ ref }) => ({
          holder,
          leasedUntil: ref('excluded.leasedUntil'),
          epoch: sql<number>`duties.epoch + case when duties.holder = ${holder} then 0 else 1 end`,
        }))
        .where(({ eb, or }) =>
          or([
            eb('duties.holder', '=', holder),
            eb('duties.leasedUntil', '<=', databaseNow(db, now)),
            // The clock was ahead, such as another server's: no lease lasts so long.
            eb('duties.leasedUntil', '>', databaseTimeIn(db, 2 * leaseMs, now)),
          ]),
        ),
    )
    .returning(['name', 'epoch'])
  return (await taken.execute()).map((row) => ({ ...row, holder }))
}

/** Others may take it at once, and are woken. Does nothing when another holder has it by now. */
export async function endDuty(db: Db, { name, holder, epoch }: DutyEpoch): Promise<void> {
  await db
    .updateTable('duties')
    // So that its next time, of the same holder too, has another epoch.
    .set({ leasedUntil: 0, holder: '' })
    .where('name', '=', name)
    .where('holder', '=', holder)
    .where('epoch', '=', epoch)
    .execute()
  if (!isPostgres(db)) return
  await sql`select pg_notify(${wakeUpChannel}, ${'duties' satisfies WakeUpTopic})`.execute(db)
}

/** Whether this holder still has the duty. If so, no other instance takes it before the transaction ends. */
export async function lockDuty(
  transaction: Db,
  { name, holder, epoch }: DutyEpoch,
): Promise<boolean> {
  const held = transaction
    .selectFrom('duties')
    .select('name')
    .where('name', '=', name)
    .where('holder', '=', holder)
    .where('epoch', '=', epoch)
  if (!isPostgres(transaction)) return (await held.executeTakeFirst()) !== undefined
  // Whoever is suspended now must not keep the duty for longer than its lease.
  const idle = sql`set_config('idle_in_transaction_session_timeout', ${idleMsMax}, true)`
  const locked = held.select(idle.as('idle')).forShare()
  return (await locked.executeTakeFirst()) !== undefined
}
