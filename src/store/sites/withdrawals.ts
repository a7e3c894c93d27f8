import type { Transaction } from 'kysely'
import type { SiteAddress } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import type { Schema } from '#store/database/schema.ts'
import { withdrawReplaced } from './versions.ts'

/**
 * Makes the version of this record withdraw all earlier ones from visitors when it goes live. Takes effect when ingest
 * next reads the site, also if the version is live already. An unknown site has nothing to withdraw.
 */
export async function awaitWithdrawal(
  db: Db,
  { did, name }: SiteAddress,
  recordCid: string,
): Promise<void> {
  await db
    .updateTable('sites')
    .set({ withdrawWith: recordCid })
    .where('did', '=', did)
    .where('name', '=', name)
    .execute()
}

/** When the version of this record is live: withdraws all earlier ones, as `awaitWithdrawal` asked for. */
export async function withdrawEarlier(
  transaction: Transaction<Schema>,
  { site, recordCid }: { readonly site: SiteAddress; readonly recordCid: string },
): Promise<void> {
  await withdrawReplaced(transaction, site)
  await withdrawRecords(transaction, { site, recordCid })
  await transaction
    .updateTable('sites')
    .set({ withdrawWith: null })
    .where('did', '=', site.did)
    .where('name', '=', site.name)
    .where('withdrawWith', '=', recordCid)
    .execute()
}

/** Of the versions that were live before: visitors of their own addresses get them still. */
async function withdrawRecords(
  transaction: Transaction<Schema>,
  { site, recordCid }: { readonly site: SiteAddress; readonly recordCid: string },
): Promise<void> {
  await transaction
    .updateTable('versionRecords')
    .set({ withdrawn: 1 })
    .where('did', '=', site.did)
    .where('site', '=', site.name)
    .where('manifest', '!=', recordCid)
    .execute()
}
