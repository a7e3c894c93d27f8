import type { Transaction } from 'kysely'
import { accountSitesMax } from '#site/limits.ts'
import type { SiteAddress } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import type { Schema } from '#store/database/schema.ts'

/** Deletes a site with neither a version nor a removal if its account has more sites than it may; true when it did. */
export async function deleteIfOverQuota(
  transaction: Transaction<Schema>,
  { did, name }: SiteAddress,
): Promise<boolean> {
  const { numDeletedRows } = await transaction
    .deleteFrom('sites')
    .where('did', '=', did)
    .where('name', '=', name)
    .where('removedRev', 'is', null)
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('versions')
            .select('id')
            .where('versions.did', '=', did)
            .where('versions.name', '=', name),
        ),
      ),
    )
    .where(
      ({ selectFrom }) =>
        selectFrom('sites as all')
          .select(({ fn }) => fn.countAll().as('count'))
          .where('all.did', '=', did),
      '>',
      accountSitesMax,
    )
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/**
 * Forgets sites that were removed before that time: no look at a repository takes so long that it could still
 * bring an older state of one.
 */
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
