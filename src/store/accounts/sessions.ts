import type { Selectable } from 'kysely'
import { browserSessionsMax } from '#site/limits.ts'
import type { Did } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import type { Schema } from '#store/database/schema.ts'
import { endAllDeployTokens, endDeployTokensOf } from './deploy-tokens.ts'

/** A browser in which an account signed in. Only the hash of its id is stored. */
export type BrowserSession = Readonly<Selectable<Schema['browserSessions']>>

/** An administrator's browser. Only the hash of its id is stored. */
export interface AdminSession {
  readonly idHash: string
  /** The administrator's name. */
  readonly username: string
  readonly seenAt: number
}

/** Sessions of accounts, or of administrators. */
export type SessionTable = 'browserSessions' | 'adminSessions'

/** A session ends at its `expiresAt`, or earlier when it was not seen for `idleMs`. */
export interface SessionClock {
  readonly now: number
  readonly idleMs: number
}

/** Null when there is none or it has ended. */
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

/** Null when there is none, it has ended or its administrator was removed. */
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

export async function touchSession(
  db: Db,
  table: SessionTable,
  idHash: string,
  now: number,
): Promise<void> {
  await db.updateTable(table).set({ seenAt: now }).where('idHash', '=', idHash).execute()
}

export async function deleteSession(db: Db, table: SessionTable, idHash: string): Promise<void> {
  await db.deleteFrom(table).where('idHash', '=', idHash).execute()
}

export async function deleteEndedSessions(
  db: Db,
  table: SessionTable,
  { now, idleMs }: SessionClock,
): Promise<void> {
  await db
    .deleteFrom(table)
    .where((where) =>
      where.or([where('expiresAt', '<=', now), where('seenAt', '<=', now - idleMs)]),
    )
    .execute()
}

/** Signs out all accounts and administrators, and ends all deploy tokens. */
export async function deleteAllSessions(db: Db): Promise<void> {
  await db.deleteFrom('browserSessions').execute()
  await db.deleteFrom('adminSessions').execute()
  await endAllDeployTokens(db)
}

export async function createAdminSession(
  db: Db,
  session: { readonly idHash: string; readonly adminId: string; readonly expiresAt: number },
  now: number,
): Promise<void> {
  const row = { ...session, createdAt: now, seenAt: now }
  await db.insertInto('adminSessions').values(row).execute()
}

/** Keeps the account's `browserSessionsMax` most recently used sessions, this one included. */
export async function createBrowserSession(
  db: Db,
  session: { idHash: string; did: Did; device?: string | null; expiresAt: number },
  now: number,
): Promise<void> {
  const row = { device: null, ...session, authority: null, createdAt: now, seenAt: now }
  await db.insertInto('browserSessions').values(row).execute()
  const { did, idHash } = session
  // By its id: others may have the same times.
  const others = listed(db, did).select('idHash').where('idHash', '!=', idHash)
  await db
    .deleteFrom('browserSessions')
    .where('did', '=', did)
    .where('idHash', '!=', idHash)
    .where('idHash', 'not in', others.limit(browserSessionsMax - 1))
    .execute()
}

/** The account's sessions that have not ended, most recently used first. */
export async function listBrowserSessions(
  db: Db,
  did: Did,
  { now, idleMs }: SessionClock,
): Promise<BrowserSession[]> {
  return await listed(db, did)
    .selectAll()
    .where('expiresAt', '>', now)
    .where('seenAt', '>', now - idleMs)
    .execute()
}

const listed = (db: Db, did: Did) =>
  db
    .selectFrom('browserSessions')
    .where('did', '=', did)
    .orderBy('seenAt', 'desc')
    .orderBy('createdAt', 'desc')
    .orderBy('idHash')

/** False: the account has no such session. */
export async function deleteBrowserSessionOf(db: Db, did: Did, idHash: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('browserSessions')
    .where('did', '=', did)
    .where('idHash', '=', idHash)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** Signs the account out of all browsers, and ends its deploy tokens. */
export async function endSessionsOf(db: Db, did: Did): Promise<void> {
  await db.deleteFrom('browserSessions').where('did', '=', did).execute()
  await endDeployTokensOf(db, did)
}

/** The server and the signing key that let somebody sign in as the account. */
export const authorityOf = (pds: string, signingKey: string): string => `${pds} ${signingKey}`

export async function setAuthority(db: Db, idHash: string, authority: string): Promise<void> {
  await db.updateTable('browserSessions').set({ authority }).where('idHash', '=', idHash).execute()
}

/**
 * Ends the sessions and deploy tokens that began under another authority: the account may have had another owner then.
 * False: none.
 */
export async function deleteSessionsOfOthers(
  db: Db,
  did: Did,
  authority: string,
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('browserSessions')
    .where('did', '=', did)
    .where('authority', '!=', authority)
    .executeTakeFirstOrThrow()
  const endedTokens = await endDeployTokensOf(db, did, authority)
  return numDeletedRows > 0n || endedTokens > 0
}
