import type { Selectable } from 'kysely'
import type { Did, SiteAddress } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import type { Schema } from '#store/database/schema.ts'
import { inTransaction, lockUntilCommit } from '#store/database/transaction.ts'
import { lockOrThrowIfDeletedHere } from './deleted-here.ts'
import { createDeployToken, type NewDeployToken, revokeTokensOfPublisher } from './deploy-tokens.ts'

/** Jobs of a repository that may deploy a site, as their forge vouches for them. */
export type Publisher = Readonly<Selectable<Schema['publishers']>>

export type NewPublisher = Omit<Publisher, 'createdAt' | 'usedAt' | 'repositoryId'>

/** False when the site has `publishersMax` of them. Throws AccountDeletedHereError. */
export function createPublisher(
  db: Db,
  publisher: NewPublisher,
  { publishersMax, now }: { readonly publishersMax: number; readonly now: number },
): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    const { did, site: name } = publisher
    await lockOrThrowIfDeletedHere(transaction, did)
    await lockUntilCommit(transaction, `publishers ${did}/${name}`)
    if ((await listPublishers(transaction, { did, name })).length >= publishersMax) return false
    const row = { ...publisher, repositoryId: null, createdAt: now, usedAt: null }
    await transaction.insertInto('publishers').values(row).execute()
    return true
  })
}

/** Newest first. */
export async function listPublishers(db: Db, { did, name }: SiteAddress): Promise<Publisher[]> {
  return await db
    .selectFrom('publishers')
    .selectAll()
    .where('did', '=', did)
    .where('site', '=', name)
    .orderBy('createdAt', 'desc')
    .orderBy('id')
    .execute()
}

/** Revokes its tokens too. False: the site has no such publisher. */
export function deletePublisher(db: Db, { did, name }: SiteAddress, id: string): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    const { numDeletedRows } = await transaction
      .deleteFrom('publishers')
      .where('id', '=', id)
      .where('did', '=', did)
      .where('site', '=', name)
      .executeTakeFirstOrThrow()
    if (numDeletedRows === 0n) return false
    await revokeTokensOfPublisher(transaction, id)
    return true
  })
}

/** Whether the account has a publisher of any site. */
export async function hasPublishers(db: Db, did: Did): Promise<boolean> {
  const row = db.selectFrom('publishers').select('id').where('did', '=', did).limit(1)
  return (await row.executeTakeFirst()) !== undefined
}

/** A verified token of a forge. */
export interface UsedIdToken {
  /** Of what its issuer signed. */
  readonly hash: string
  readonly expiresAt: number
  /** The forge's own id of the repository, which a new one of the same name does not have; null: not stated. */
  readonly repositoryId: string | null
}

export type Exchange = 'exchanged' | 'used-before' | 'publisher-gone' | 'too-many-tokens'

/** Stores a deploy token of the publisher in exchange for a forge's token, which works once. */
export function exchangeIdToken(
  db: Db,
  token: NewDeployToken & { readonly publisherId: string },
  used: UsedIdToken,
  options: { readonly tokensMax: number; readonly now: number },
): Promise<Exchange> {
  return inTransaction(db, async (transaction): Promise<Exchange> => {
    const { hash, expiresAt, repositoryId } = used
    await lockOrThrowIfDeletedHere(transaction, token.did)
    const known = transaction.selectFrom('usedIdTokens').select('hash').where('hash', '=', hash)
    await lockUntilCommit(transaction, `id token ${hash}`)
    if ((await known.executeTakeFirst()) !== undefined) return 'used-before'
    const { numUpdatedRows } = await transaction
      .updateTable('publishers')
      .set({ usedAt: options.now, ...(repositoryId !== null && { repositoryId }) })
      .where('id', '=', token.publisherId)
      .executeTakeFirstOrThrow()
    if (numUpdatedRows === 0n) return 'publisher-gone'
    if (!(await createDeployToken(transaction, token, options))) return 'too-many-tokens'
    await transaction.insertInto('usedIdTokens').values({ hash, expiresAt }).execute()
    return 'exchanged'
  })
}

/** Stores that a token was used; false: it was before. */
export async function rememberUsedToken(
  db: Db,
  used: Pick<UsedIdToken, 'hash' | 'expiresAt'>,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('usedIdTokens')
    .values({ hash: used.hash, expiresAt: used.expiresAt })
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .executeTakeFirstOrThrow()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** Those that are refused for their time anyway. */
export async function forgetUsedIdTokens(db: Db, expiredBefore: number): Promise<void> {
  await db.deleteFrom('usedIdTokens').where('expiresAt', '<', expiredBefore).execute()
}
