import type { Transaction } from 'kysely'
import { accountVersionRecordsMax, versionRecordsMax } from '#site/limits.ts'
import type { Did } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import type { VersionKey } from '#site/version-key.ts'
import { appendNewVersion } from '#store/database/changes.ts'
import type { Schema } from '#store/database/schema.ts'
import { rememberForgotten } from '#store/sites/forgotten-versions.ts'
import { deleteRow, tellEdge, updateRow } from './version-record-rows.ts'

export const tooManyVersions = `Only the newest ${versionRecordsMax} versions of a site are kept here. Delete older ones.`

/** Takes the content of the site's records beyond `versionRecordsMax`, for a version that is new; returns their keys. */
export async function ignoreOldest(
  transaction: Transaction<Schema>,
  { did, site }: { readonly did: Did; readonly site: SiteName | '' },
  now: number,
): Promise<VersionKey[]> {
  const rows = await transaction
    .selectFrom('versionRecords')
    .select(['did', 'key', 'site', 'siteLabel', 'state', 'label', 'alias', 'manifest'])
    .where('did', '=', did)
    .where('site', '=', site)
    .where('state', '!=', 'removed')
    .orderBy('key', 'desc')
    .execute()
  const beyond = rows.slice(versionRecordsMax)
  const problems = JSON.stringify([tooManyVersions])
  for (const row of beyond.filter(({ state }) => state !== 'ignored')) {
    const none = { state: 'ignored', label: null, snapshot: null, filesDigest: null } as const
    await updateRow(transaction, row, { ...none, problems })
    await rememberForgotten(transaction, row, now)
    await tellEdge(transaction, row, now, appendNewVersion)
  }
  return beyond.map(({ key }) => key)
}

/** Deletes the account's records beyond `accountVersionRecordsMax`; returns their keys. */
export async function dropOldest(
  transaction: Transaction<Schema>,
  did: Did,
  now: number,
): Promise<VersionKey[]> {
  const rows = await transaction
    .selectFrom('versionRecords')
    .select(['did', 'key', 'site', 'siteLabel', 'label', 'alias', 'manifest'])
    .where('did', '=', did)
    .where('state', '!=', 'removed')
    .orderBy('key', 'desc')
    .offset(accountVersionRecordsMax)
    .limit(accountVersionRecordsMax)
    .execute()
  for (const row of rows) {
    await deleteRow(transaction, row)
    await rememberForgotten(transaction, row, now)
    await tellEdge(transaction, row, now, appendNewVersion)
  }
  return rows.map(({ key }) => key)
}
