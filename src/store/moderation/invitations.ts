import type { Selectable } from 'kysely'
import type { Did } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import type { ModerationTables } from '#store/database/tables/moderation-tables.ts'
import { inTransaction, lockUntilCommit } from '#store/database/transaction.ts'

/** Invitations that are neither used nor over. */
export const openInvitationsMax = 1000
/** Used ones and those that are over are listed for this long after their end. */
export const endedInvitationMs = 90 * 24 * 60 * 60 * 1000

/** Lets one account sign in, once. Only the hash of its code is stored. */
export type Invitation = Readonly<Selectable<ModerationTables['invitations']>>

export type NewInvitation = Omit<Invitation, 'usedBy' | 'usedAt'>

/** False: there are `max` open ones. Forgets those that ended long ago. */
export function addInvitation(
  db: Db,
  invitation: NewInvitation,
  max: number = openInvitationsMax,
): Promise<boolean> {
  const { createdAt: now } = invitation
  return inTransaction(db, async (transaction) => {
    await lockUntilCommit(transaction, 'invitations')
    await transaction
      .deleteFrom('invitations')
      .where('expiresAt', '<', now - endedInvitationMs)
      .execute()
    const { count } = await transaction
      .selectFrom('invitations')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('usedAt', 'is', null)
      .where('expiresAt', '>', now)
      .executeTakeFirstOrThrow()
    if (Number(count) >= max) return false
    await transaction
      .insertInto('invitations')
      .values({ ...invitation, usedBy: null, usedAt: null })
      .execute()
    return true
  })
}

/** Whether somebody could use it now. */
export async function isOpenInvitation(db: Db, codeHash: string, now: number): Promise<boolean> {
  const row = await db
    .selectFrom('invitations')
    .select('codeHash')
    .where('codeHash', '=', codeHash)
    .where('usedAt', 'is', null)
    .where('expiresAt', '>', now)
    .executeTakeFirst()
  return row !== undefined
}

/** Only one of several concurrent callers gets it. False: it is used, over, revoked or unknown. */
export async function takeInvitation(
  db: Db,
  codeHash: string,
  usedBy: Did,
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('invitations')
    .set({ usedBy, usedAt: now })
    .where('codeHash', '=', codeHash)
    .where('usedAt', 'is', null)
    .where('expiresAt', '>', now)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** False: it is used or unknown. */
export async function revokeInvitation(db: Db, codeHash: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('invitations')
    .where('codeHash', '=', codeHash)
    .where('usedAt', 'is', null)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

interface InvitationQuery {
  /** Only those created before this one. */
  readonly before?: Pick<Invitation, 'createdAt' | 'codeHash'> | undefined
  readonly limit: number
}

/** Newest first. */
export async function listInvitations(
  db: Db,
  { before, limit }: InvitationQuery,
): Promise<Invitation[]> {
  let query = db.selectFrom('invitations').selectAll()
  if (before !== undefined) {
    query = query.where((where) =>
      where.or([
        where('createdAt', '<', before.createdAt),
        where.and([
          where('createdAt', '=', before.createdAt),
          where('codeHash', '<', before.codeHash),
        ]),
      ]),
    )
  }
  return await query.orderBy('createdAt', 'desc').orderBy('codeHash', 'desc').limit(limit).execute()
}
