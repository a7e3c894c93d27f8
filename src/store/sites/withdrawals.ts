import type { Selectable, Transaction } from 'kysely'
import type { SiteAddress } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import type { Db } from '#store/database/database.ts'
import type { Schema } from '#store/database/schema.ts'
import { withdrawReplaced } from './versions.ts'

type VersionRecordRow = Selectable<Schema['versionRecords']>

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
  { site, recordCid, rev }: Withdrawing,
): Promise<void> {
  await withdrawReplaced(transaction, site)
  await withdrawRecords(transaction, { site, recordCid })
  await transaction
    .updateTable('sites')
    .set({ withdrawWith: null, withdrawnBefore: rev })
    .where('did', '=', site.did)
    .where('name', '=', site.name)
    .where('withdrawWith', '=', recordCid)
    .execute()
}

/** A version that withdraws those before it. */
interface Withdrawing {
  readonly site: SiteAddress
  readonly recordCid: string
  /** Of the repository when it was read. */
  readonly rev: string
}

/** Withdraws a version whose record is stored only after a later version has withdrawn it. */
export async function withdrawIfEarlier(
  transaction: Transaction<Schema>,
  { did, key, manifest, site }: Pick<VersionRecordRow, 'did' | 'key' | 'manifest' | 'site'>,
): Promise<void> {
  if (manifest === null) return
  const row = await transaction
    .selectFrom('sites')
    .leftJoin('versions', (join) =>
      join
        .onRef('versions.did', '=', 'sites.did')
        .onRef('versions.name', '=', 'sites.name')
        .on('versions.recordCid', '=', manifest),
    )
    .select(['sites.withdrawnBefore', 'versions.rev'])
    .where('sites.did', '=', did)
    .where('sites.name', '=', site as SiteName)
    .orderBy('versions.rev', 'desc')
    .executeTakeFirst()
  // A record of a state that was never read here is judged by its key, which is a time, too.
  if (row === undefined || (row.rev ?? key) >= (row.withdrawnBefore ?? '')) return
  await transaction
    .updateTable('versionRecords')
    .set({ withdrawn: 1 })
    .where('did', '=', did)
    .where('key', '=', key)
    .execute()
}

/** Of the versions that were live before: visitors of their own addresses get them still. */
async function withdrawRecords(
  transaction: Transaction<Schema>,
  { site, recordCid }: Omit<Withdrawing, 'rev'>,
): Promise<void> {
  await transaction
    .updateTable('versionRecords')
    .set({ withdrawn: 1 })
    .where('did', '=', site.did)
    .where('site', '=', site.name)
    .where('manifest', '!=', recordCid)
    .execute()
}
