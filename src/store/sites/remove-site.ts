import type { SiteAddress } from '#site/site-address.ts'
import { lockIfKnown } from '#store/accounts/accounts.ts'
import { deleteDeployTokensOf } from '#store/accounts/deploy-tokens.ts'
import { appendChange } from '#store/database/changes.ts'
import type { Db } from '#store/database/database.ts'
import { inSharedTransaction } from '#store/database/shared-transaction.ts'
import { lockUntilCommit } from '#store/database/transaction.ts'
import { appendWebhookEvent } from '#store/webhooks/append-event.ts'
import { deleteIfOverQuota } from './account-quota.ts'
import { blankSite, siteSubject } from './record-version.ts'
import { deleteTrafficOf } from './traffic.ts'

/**
 * Removes a site whose owner removed the record at revision `rev`, with all its versions up to then; an older state of
 * the record that arrives late cannot bring it back. Its deploy tokens and what visitors took of it go with it. False: the removal is known, a version at least as new is live, the
 * owner is unknown, or the site is unknown and its account has `accountSitesMax`.
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
      .values({ ...blankSite, did, name, label: null, createdAt: now, updatedAt: now })
      .onConflict((conflict) => conflict.columns(['did', 'name']).doUpdateSet({ updatedAt: now }))
      .returning(['liveVersionId', 'removedRev'])
      .executeTakeFirstOrThrow()
    if (site.removedRev !== null && site.removedRev >= rev) return false
    const ofSite = transaction
      .selectFrom('versions')
      .select('id')
      .where('did', '=', did)
      .where('name', '=', name)
    const hasVersions = (await ofSite.limit(1).executeTakeFirst()) !== undefined
    if (!hasVersions && (await deleteIfOverQuota(transaction, { did, name }, {}))) return false

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
    await deleteDeployTokensOf(transaction, { did, name })
    await deleteTrafficOf(transaction, { did, name })
    if (site.liveVersionId !== null) {
      await appendWebhookEvent(transaction, 'site.deleted', { did, site: name, rev }, now)
      await appendChange(transaction, { did, name }, now)
    }
    return true
  })
}

/** Forgets sites that were removed before that time: no reading of a repository takes so long that it could bring one back. */
export async function forgetRemovedSites(db: Db, before: number): Promise<void> {
  await db
    .deleteFrom('sites')
    .where('removedRev', 'is not', null)
    .where('updatedAt', '<', before)
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('versions')
            .select('id')
            .whereRef('versions.did', '=', 'sites.did')
            .whereRef('versions.name', '=', 'sites.name'),
        ),
      ),
    )
    .execute()
}
