import type { Selectable } from 'kysely'
import type { Did } from '#site/site-address.ts'
import type { Db } from './database.ts'
import type { Schema } from './schema.ts'

/** A browser in which somebody signed in. Known by the hash of its id only. */
export type BrowserSession = Readonly<Selectable<Schema['browserSessions']>>

/** A session ends at its `expiresAt`, and before that when it was not seen for `idleMs`. */
interface SessionClock {
  readonly now: number
  readonly idleMs: number
}

export async function createBrowserSession(
  db: Db,
  session: { idHash: string; did: Did; expiresAt: number },
  now: number,
): Promise<void> {
  const row = { ...session, createdAt: now, seenAt: now }
  await db.insertInto('browserSessions').values(row).execute()
}

/** Null when there is none, and when it has ended. */
export async function findBrowserSession(
  db: Db,
  idHash: string,
  { now, idleMs }: SessionClock,
): Promise<BrowserSession | null> {
  const row = await db
    .selectFrom('browserSessions')
    .selectAll()
    .where('idHash', '=', idHash)
    .where('expiresAt', '>', now)
    .where('seenAt', '>', now - idleMs)
    .executeTakeFirst()
  return row ?? null
}

export async function touchBrowserSession(db: Db, idHash: string, now: number): Promise<void> {
  await db
    .updateTable('browserSessions')
    .set({ seenAt: now })
    .where('idHash', '=', idHash)
    .execute()
}

export async function deleteBrowserSession(db: Db, idHash: string): Promise<void> {
  await db.deleteFrom('browserSessions').where('idHash', '=', idHash).execute()
}

/** Deletes the ones that have ended. */
export async function deleteExpiredBrowserSessions(
  db: Db,
  { now, idleMs }: SessionClock,
): Promise<void> {
  await db
    .deleteFrom('browserSessions')
    .where((where) =>
      where.or([where('expiresAt', '<=', now), where('seenAt', '<=', now - idleMs)]),
    )
    .execute()
}

/** Rows of the account, those that ended but were not deleted yet included. */
export async function countBrowserSessions(db: Db, did: Did): Promise<number> {
  const { count } = await db
    .selectFrom('browserSessions')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('did', '=', did)
    .executeTakeFirstOrThrow()
  return count
}
