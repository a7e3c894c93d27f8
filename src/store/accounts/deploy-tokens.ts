import type { Selectable } from 'kysely'
import type { Did, SiteAddress } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import type { Schema } from '#store/database/schema.ts'
import { inTransaction, lockUntilCommit } from '#store/database/transaction.ts'
import { lockOrThrowIfDeletedHere } from './deleted-here.ts'

/** With which programs deploy one site. Only the hash of the token is stored. */
export type DeployToken = Readonly<Selectable<Schema['deployTokens']>>

export type NewDeployToken = Omit<DeployToken, 'createdAt' | 'usedAt' | 'endedBy'>

/** Tokens of a site that have ended: their rows say why they are refused. */
const endedTokensMax = 50
/** How long after its end a token's row says that it has expired. */
const expiredTokenMs = 30 * 24 * 60 * 60 * 1000

/** False when the site has `tokensMax` tokens that have not ended, of its owner or of publishers. Throws AccountDeletedHereError. */
export function createDeployToken(
  db: Db,
  token: NewDeployToken,
  { tokensMax, now }: { readonly tokensMax: number; readonly now: number },
): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    const { did, publisherId, site: name } = token
    await lockOrThrowIfDeletedHere(transaction, did)
    await lockUntilCommit(transaction, `deploy tokens ${did}/${name}`)
    const usable = await selectUsable(transaction, did, now)
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('site', '=', name)
      .where('publisherId', publisherId === null ? 'is' : 'is not', null)
      .executeTakeFirstOrThrow()
    if (Number(usable.count) >= tokensMax) return false
    const row = { ...token, createdAt: now, usedAt: null, endedBy: null }
    await transaction.insertInto('deployTokens').values(row).execute()
    await deleteLongEnded(transaction, { did, name })
    return true
  })
}

async function deleteLongEnded(db: Db, site: SiteAddress): Promise<void> {
  const newest = selectEnded(db, site)
    .select('id')
    .orderBy('createdAt', 'desc')
    .orderBy('id')
    .limit(endedTokensMax)
  await db
    .deleteFrom('deployTokens')
    .where('id', 'in', selectEnded(db, site).select('id').where('id', 'not in', newest))
    .execute()
}

const selectEnded = (db: Db, { did, name }: SiteAddress) =>
  db
    .selectFrom('deployTokens')
    .where('did', '=', did)
    .where('site', '=', name)
    .where('endedBy', 'is not', null)

/** Also one that has ended; null: there is none. */
export async function findDeployToken(db: Db, hash: string): Promise<DeployToken | null> {
  const row = db.selectFrom('deployTokens').selectAll().where('hash', '=', hash)
  return (await row.executeTakeFirst()) ?? null
}

/** The tokens that the site's owner made and that have not ended before their time, newest first; those that have just expired too. */
export async function listDeployTokens(db: Db, { did, name }: SiteAddress): Promise<DeployToken[]> {
  return await db
    .selectFrom('deployTokens')
    .selectAll()
    .where('did', '=', did)
    .where('site', '=', name)
    .where('endedBy', 'is', null)
    .where('publisherId', 'is', null)
    .orderBy('createdAt', 'desc')
    .orderBy('id')
    .execute()
}

export async function touchDeployToken(db: Db, id: string, now: number): Promise<void> {
  await db.updateTable('deployTokens').set({ usedAt: now }).where('id', '=', id).execute()
}

/** False: the site has no such token, or it has ended. */
export async function revokeDeployToken(
  db: Db,
  { did, name }: SiteAddress,
  id: string,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('deployTokens')
    .set({ endedBy: 'revoked' })
    .where('id', '=', id)
    .where('did', '=', did)
    .where('site', '=', name)
    .where('endedBy', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export async function revokeTokensOfPublisher(db: Db, publisherId: string): Promise<void> {
  await db
    .updateTable('deployTokens')
    .set({ endedBy: 'revoked' })
    .where('publisherId', '=', publisherId)
    .where('endedBy', 'is', null)
    .execute()
}

/**
 * Ends the account's tokens and deletes its publishers, or those that were made under another authority; returns how
 * many.
 */
export async function endDeployTokensOf(
  db: Db,
  did: Did,
  exceptOfAuthority?: string,
): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('deployTokens')
    .set({ endedBy: 'signed-out' })
    .where('did', '=', did)
    .where('endedBy', 'is', null)
    .$if(exceptOfAuthority !== undefined, (query) =>
      query.where('authority', '!=', exceptOfAuthority ?? ''),
    )
    .executeTakeFirstOrThrow()
  const { numDeletedRows } = await db
    .deleteFrom('publishers')
    .where('did', '=', did)
    .$if(exceptOfAuthority !== undefined, (query) =>
      query.where('authority', '!=', exceptOfAuthority ?? ''),
    )
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows + numDeletedRows)
}

export async function endAllDeployTokens(db: Db): Promise<void> {
  await db
    .updateTable('deployTokens')
    .set({ endedBy: 'signed-out' })
    .where('endedBy', 'is', null)
    .execute()
  await db.deleteFrom('publishers').execute()
}

/** For a site that is gone. */
export async function deleteDeployTokensOf(db: Db, { did, name }: SiteAddress): Promise<void> {
  for (const table of ['deployTokens', 'publishers'] as const) {
    await db.deleteFrom(table).where('did', '=', did).where('site', '=', name).execute()
  }
}

/** Whether the account has a token that works. */
export async function hasDeployTokens(db: Db, did: Did, now: number): Promise<boolean> {
  return (await selectUsable(db, did, now).select('id').limit(1).executeTakeFirst()) !== undefined
}

/** Deletes tokens whose time has been over for long. */
export async function deleteExpiredTokens(db: Db, now: number): Promise<void> {
  await db
    .deleteFrom('deployTokens')
    .where('expiresAt', '<=', now - expiredTokenMs)
    .execute()
}

const selectUsable = (db: Db, did: Did, now: number) =>
  db
    .selectFrom('deployTokens')
    .where('did', '=', did)
    .where('endedBy', 'is', null)
    .where('expiresAt', '>', now)
