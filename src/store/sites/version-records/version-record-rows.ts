import type { Selectable, Transaction } from 'kysely'
import type { Did, SiteAddress } from '#site/site-address.ts'
import type { VersionKey } from '#site/version-key.ts'
import { appendChange, appendLabelChange, type appendNewVersion } from '#store/database/changes.ts'
import type { Schema } from '#store/database/schema.ts'

export interface VersionRecordKey {
  readonly did: Did
  readonly key: VersionKey
}

/** Without what others decide. */
export type VersionRecordRow = Omit<Selectable<Schema['versionRecords']>, 'withdrawn'>

export function findRow(transaction: Transaction<Schema>, { did, key }: VersionRecordKey) {
  const row = transaction.selectFrom('versionRecords').selectAll()
  return row.where('did', '=', did).where('key', '=', key).executeTakeFirst()
}

export async function insertRow(
  transaction: Transaction<Schema>,
  row: VersionRecordRow,
): Promise<void> {
  const { did: _, key: __, ...news } = row
  await transaction
    .insertInto('versionRecords')
    .values(row)
    .onConflict((conflict) => conflict.columns(['did', 'key']).doUpdateSet(news))
    .execute()
}

export async function updateRow(
  transaction: Transaction<Schema>,
  { did, key }: VersionRecordKey,
  news: Partial<VersionRecordRow>,
): Promise<void> {
  const update = transaction.updateTable('versionRecords').set(news)
  await update.where('did', '=', did).where('key', '=', key).execute()
}

export async function deleteRow(
  transaction: Transaction<Schema>,
  { did, key }: VersionRecordKey,
): Promise<void> {
  const one = transaction.deleteFrom('versionRecords').where('did', '=', did)
  await one.where('key', '=', key).execute()
}

/**
 * Its address has other contents, or none. The edge keeps with the site where its aliases lead, and the assets of versions
 * that were live. `append` says whether the site may be served as it was for a moment.
 */
export async function tellEdge(
  transaction: Transaction<Schema>,
  row: Pick<VersionRecordRow, 'did' | 'site' | 'label' | 'alias' | 'manifest'> | undefined,
  now: number,
  append: typeof appendChange | typeof appendNewVersion = appendChange,
): Promise<void> {
  if (row === undefined || row.label === null) return
  await appendLabelChange(transaction, row.label, now)
  if (row.site === '') return
  const site = { did: row.did, name: row.site }
  const isEarlier = row.manifest !== null && !(await isLive(transaction, site, row.manifest))
  if (row.alias !== null || isEarlier) await append(transaction, site, now)
}

async function isLive(
  transaction: Transaction<Schema>,
  { did, name }: SiteAddress,
  recordCid: string,
): Promise<boolean> {
  const live = transaction
    .selectFrom('versions')
    .select('id')
    .where('did', '=', did)
    .where('name', '=', name)
    .where('state', '=', 'live')
    .where('recordCid', '=', recordCid)
  return (await live.executeTakeFirst()) !== undefined
}
