import type { Db } from '#store/database/database.ts'

/** An administrator's browser. Known by the hash of its id only. */
export interface AdminSession {
  readonly idHash: string
  /** The administrator's name. */
  readonly username: string
  readonly seenAt: number
}

/** A session ends at its `expiresAt`, and before that when it was not seen for `idleMs`. */
interface SessionClock {
  readonly now: number
  readonly idleMs: number
}

export async function createAdminSession(
  db: Db,
  session: { readonly idHash: string; readonly adminId: string; readonly expiresAt: number },
  now: number,
): Promise<void> {
  const row = { ...session, createdAt: now, seenAt: now }
  await db.insertInto('adminSessions').values(row).execute()
}

/** Null when there is none, when it has ended, and when its administrator was removed. */
export async function findAdminSession(
  db: Db,
  idHash: string,
  { now, idleMs }: SessionClock,
): Promise<AdminSession | null> {
  const row = await db
    .selectFrom('adminSessions')
    .innerJoin('admins', 'admins.id', 'adminSessions.adminId')
    .select(['adminSessions.idHash', 'admins.name as username', 'adminSessions.seenAt'])
    .where('adminSessions.idHash', '=', idHash)
    .where('adminSessions.expiresAt', '>', now)
    .where('adminSessions.seenAt', '>', now - idleMs)
    .executeTakeFirst()
  return row ?? null
}

export async function touchAdminSession(db: Db, idHash: string, now: number): Promise<void> {
  await db.updateTable('adminSessions').set({ seenAt: now }).where('idHash', '=', idHash).execute()
}

export async function deleteAdminSession(db: Db, idHash: string): Promise<void> {
  await db.deleteFrom('adminSessions').where('idHash', '=', idHash).execute()
}

/** Deletes the ones that have ended. */
export async function deleteExpiredAdminSessions(
  db: Db,
  { now, idleMs }: SessionClock,
): Promise<void> {
  await db
    .deleteFrom('adminSessions')
    .where((where) =>
      where.or([where('expiresAt', '<=', now), where('seenAt', '<=', now - idleMs)]),
    )
    .execute()
}
