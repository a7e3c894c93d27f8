import type { SiteAddress } from '#site/site-address.ts'
import { lockIfKnown } from '#store/accounts/accounts.ts'
import { appendChange } from '#store/database/changes.ts'
import type { Db } from '#store/database/database.ts'
import { inSharedTransaction } from '#store/database/shared-transaction.ts'
import { lockUntilCommit } from '#store/database/transaction.ts'
import { siteSubject } from './record-version.ts'
import { deleteIfOverQuota } from './site-quota.ts'

/**
 * The owner removed the site's record at revision `rev`: all its versions up to then end, the
 * replaced ones too, and an older state of the record that arrives late cannot bring it back. False
 * when that is known already, when a version at least as new is live, or when its owner is not known; also of a site
 * that was not known, where its account has `accountSitesMax`.
 */
export function removeSite(
  db: Db,
  { did, name }: SiteAddress,
  rev: string,
  now: number,
): Promise<boolean> {
  return inSharedTransaction(db, async (transaction) => {
    if (!(await lockIfKnown(transaction, did))) return false
    await lockUntilCommit(transaction, siteSubject({ did, name }))
    const site = await transaction
      .insertInto('sites')
      .values({
        did,
        name,
        label: null,
        liveVersionId: null,
        removedRev: null,
        withdrawWith: null,
        createdAt: now,
        updatedAt: now,
      })
      .onConflict((conflict) => conflict.columns(['did', 'name']).doUpdateSet({ updatedAt: now }))
      .returning(['liveVersionId', 'removedRev'])
      .executeTakeFirstOrThrow()
    if (site.removedRev !== null && site.removedRev >= rev) return false
    if (site.liveVersionId === null && (await deleteIfOverQuota(transaction, { did, name })))
      return false

    const ofSite = transaction
      .selectFrom('versions')
      .select('id')
      .where('did', '=', did)
      .where('name', '=', name)
    const newerLive = ofSite.where('state', '=', 'live').where('rev', '>=', rev)
    if ((await newerLive.executeTakeFirst()) !== undefined) return false

    await transaction
      .deleteFrom('versions')
      .where('id', 'in', ofSite.where('rev', '<=', rev))
      .execute()
    await transaction
      .updateTable('sites')
      .set({ liveVersionId: null, removedRev: rev, updatedAt: now })
      .where('did', '=', did)
      .where('name', '=', name)
      .execute()
    if (site.liveVersionId !== null) await appendChange(transaction, { did, name }, now)
    return true
  })
}
