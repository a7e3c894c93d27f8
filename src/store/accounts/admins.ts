import type { Selectable } from 'kysely'
import type { Db } from '#store/database/database.ts'
import type { Schema } from '#store/database/schema.ts'
import { inTransaction } from '#store/database/transaction.ts'

/** An administrator of this service. An `id` is never used again; a `name` may be. */
export type Admin = Readonly<Selectable<Schema['admins']>>

/** False when there is one with this name. */
export async function addAdmin(db: Db, admin: Admin): Promise<boolean> {
  const added = await db
    .insertInto('admins')
    .values(admin)
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returning('id')
    .execute()
  return added.length > 0
}

export async function findAdmin(db: Db, name: string): Promise<Admin | null> {
  const admin = await db
    .selectFrom('admins')
    .selectAll()
    .where('name', '=', name)
    .executeTakeFirst()
  return admin ?? null
}

/** By name. */
export async function listAdmins(db: Db): Promise<readonly Admin[]> {
  return await db.selectFrom('admins').selectAll().orderBy('name').execute()
}

/** Removes its sessions too. False when there is none with this name. */
export async function removeAdmin(db: Db, name: string): Promise<boolean> {
  return await inTransaction(db, async (transaction) => {
    const removed = await transaction
      .deleteFrom('admins')
      .where('name', '=', name)
      .returning('id')
      .executeTakeFirst()
    if (removed === undefined) return false
    await transaction.deleteFrom('adminSessions').where('adminId', '=', removed.id).execute()
    return true
  })
}

/** Ends its sessions too. False when there is none with this name. */
export async function changeAdminPassword(
  db: Db,
  name: string,
  passwordHash: string,
): Promise<boolean> {
  return await inTransaction(db, async (transaction) => {
    const changed = await transaction
      .updateTable('admins')
      .set({ passwordHash })
      .where('name', '=', name)
      .returning('id')
      .executeTakeFirst()
    if (changed === undefined) return false
    await transaction.deleteFrom('adminSessions').where('adminId', '=', changed.id).execute()
    return true
  })
}
