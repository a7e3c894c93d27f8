import type { Transaction } from 'kysely'
import type { Did } from '#site/site-address.ts'
import { appendChange, appendHostChange } from '#store/database/changes.ts'
import type { Schema } from '#store/database/schema.ts'
import { tellVersions } from '#store/database/tell-versions.ts'
import { keepSubdomains } from '#store/names/kept-subdomains.ts'
import { listSiteNames } from '#store/sites/sites.ts'

const ownTables = [
  'browserSessions',
  'deploys',
  'deployTokens',
  'grantFailures',
  'jobs',
  'publishers',
  'uploadedBlobs',
  'visitedAccounts',
  'webhookDeliveries',
  'webhooks',
] as const

const indexTables = [
  'workItems',
  'versions',
  'versionRecords',
  'receivedBlobs',
  'siteTraffic',
  'siteVisits',
  'siteVisitors',
  'forgottenVersions',
  'unfinishedForgets',
  'sites',
  'accounts',
] as const

/**
 * Deletes every row of the account and tells the edge, but keeps the tokens to revoke them at its server. Bytes that no
 * other account's snapshots name become garbage.
 */
export async function removeAccountRows(
  transaction: Transaction<Schema>,
  did: Did,
  now: number,
): Promise<void> {
  const hosts: string[] = []
  for (const table of ['subdomains', 'customDomains'] as const) {
    const rows = await transaction
      .deleteFrom(table)
      .where('did', '=', did)
      .returning('domain')
      .execute()
    if (table === 'subdomains') {
      const domains = rows.map(({ domain }) => domain)
      await keepSubdomains(transaction, did, domains, now)
    }
    hosts.push(...rows.map(({ domain }) => domain))
  }
  for (const table of ownTables) {
    await transaction.deleteFrom(table).where('did', '=', did).execute()
  }
  await removeIndexRows(transaction, did, now)
  for (const host of hosts) await appendHostChange(transaction, host, now)
}

/**
 * Deletes what ingest knows of the account: the account, its sites and its work items. Visitors get nothing of it from
 * then on. If the transaction began with `lockUnlessDeletedHere`, work in progress stores nothing about it any more.
 */
export async function removeIndexRows(
  transaction: Transaction<Schema>,
  did: Did,
  now: number,
): Promise<void> {
  const names = await listSiteNames(transaction, did)
  await tellVersions(transaction, { did }, now)
  for (const table of indexTables) {
    await transaction.deleteFrom(table).where('did', '=', did).execute()
  }
  for (const name of names) await appendChange(transaction, { did, name }, now)
}
