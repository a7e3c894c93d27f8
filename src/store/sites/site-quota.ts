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
  const versions = transaction
    .selectFrom('versions')
    .where('did', '=', did)
    .where('name', '=', name)
  const sites = transaction.selectFrom('sites').where('did', '=', did)
  const { numDeletedRows } = await transaction
    .deleteFrom('sites')
    .where('did', '=', did)
    .where('name', '=', name)
    .where('removedRev', 'is', null)
    .where(({ exists, not }) => not(exists(versions.select('id'))))
    .where(
      sites.select(({ fn }) => fn.countAll().as('count')),
      '>',
      accountSitesMax,
    )
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
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
