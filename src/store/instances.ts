import type { Selectable } from 'kysely'
import type { Db } from './database/database.ts'
import { databaseNow } from './database/database-clock.ts'
import type { Schema } from './database/schema.ts'
import { inTransaction, lockUntilCommit } from './database/transaction.ts'

/** One of several that share this database. */
export type InstanceRow = Readonly<Selectable<Schema['instances']>>

export type NewInstance = Omit<InstanceRow, 'startedAt' | 'seenAt'>

/** SQLite, which instances cannot share, has no clock of its own. */
const clockOf = (db: Db) => databaseNow(db, Date.now())

/** Writes an instance in place of its former run. From then on, nobody takes it for gone while it is seen. */
export function registerInstance(db: Db, { id, ...facts }: NewInstance): Promise<void> {
  return inTransaction(db, async (transaction) => {
    await lockInstance(transaction, id)
    // Read once: each use in a statement is a time of its own.
    const clock = transaction.selectNoFrom(clockOf(transaction).as('now'))
    const { now } = await clock.executeTakeFirstOrThrow()
    const row = { ...facts, startedAt: now, seenAt: now }
    await transaction
      .insertInto('instances')
      .values({ id, ...row })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
      .execute()
  })
}

/** Serializes what makes an instance known, and what takes it for gone. */
export const lockInstance = (
  transaction: Parameters<typeof lockUntilCommit>[0],
  id: string,
): Promise<void> => lockUntilCommit(transaction, `instance ${id}`)

type Run = Pick<InstanceRow, 'id' | 'run'>

/** `removed`: it was taken for gone. `replaced`: another process has registered with its id. */
export type Sighting = 'seen' | 'removed' | 'replaced'

/** Writes that the instance is alive, by the database's clock. */
export async function seeInstance(db: Db, { id, run }: Run): Promise<Sighting> {
  const { numUpdatedRows } = await db
    .updateTable('instances')
    .set({ seenAt: clockOf(db) })
    .where('id', '=', id)
    .where('run', '=', run)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows > 0n) return 'seen'
  return (await findInstance(db, id)) === null ? 'removed' : 'replaced'
}

/** Does nothing when another process has registered with its id. */
export async function removeInstance(db: Db, { id, run }: Run): Promise<void> {
  await db.deleteFrom('instances').where('id', '=', id).where('run', '=', run).execute()
}

export async function findInstance(db: Db, id: string): Promise<InstanceRow | null> {
  const row = db.selectFrom('instances').selectAll().where('id', '=', id)
  return (await row.executeTakeFirst()) ?? null
}

/** Null for one that was not seen within this time, by the database's clock. */
export async function findSeenInstance(
  db: Db,
  id: string,
  msMax: number,
): Promise<InstanceRow | null> {
  const row = db
    .selectFrom('instances')
    .selectAll()
    .where('id', '=', id)
    .where((where) => where(where.ref('seenAt'), '>', where(clockOf(db), '-', msMax)))
  return (await row.executeTakeFirst()) ?? null
}

export interface ListedInstance extends InstanceRow {
  /** By the database's clock. */
  readonly seenAgoMs: number
}

/** In the order in which they started. */
export async function listInstances(db: Db): Promise<ListedInstance[]> {
  const rows = await db
    .selectFrom('instances')
    .selectAll()
    .select((row) => row(clockOf(db), '-', row.ref('seenAt')).as('seenAgoMs'))
    .orderBy('startedAt')
    .orderBy('id')
    .execute()
  return rows.map((row) => ({ ...row, seenAgoMs: Math.max(Number(row.seenAgoMs), 0) }))
}

/** Of the instances with this role, the one that was seen last; null: there is none. */
export async function findInstanceWith(
  db: Db,
  role: 'app' | 'ingest',
): Promise<InstanceRow | null> {
  const row = db
    .selectFrom('instances')
    .selectAll()
    .where('roles', 'like', `%${role}%`)
    .orderBy('seenAt', 'desc')
    .limit(1)
  return (await row.executeTakeFirst()) ?? null
}
