import type { Transaction } from 'kysely'
import type { Did } from '#site/site-address.ts'
import { appendChange, appendHostChange } from '#store/database/changes.ts'
import type { Schema } from '#store/database/schema.ts'
import { keepSubdomains } from '#store/names/kept-subdomains.ts'
import { listSiteNames } from '#store/sites/sites.ts'

const ownTables = [
  'browserSessions',
  'grantFailures',
  'jobs',
  'uploadedBlobs',
  'visitedAccounts',
] as const

/**
 * Deletes every row of the account but its tokens, which are needed to end them at its server, and tells the
 * edge. Bytes that nobody else's snapshots name become garbage by that.
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
 * Deletes what ingest knows of the account: itself, its sites and what is queued for them. Visitors get
 * nothing of it from then on. What is under way for it records nothing any more, if the transaction began with `lockUnlessDeletedHere`.
 */
export async function removeIndexRows(
  transaction: Transaction<Schema>,
  did: Did,
  now: number,
): Promise<void> {
  const names = await listSiteNames(transaction, did)
  for (const table of ['workItems', 'versions', 'sites', 'accounts'] as const) {
    await transaction.deleteFrom(table).where('did', '=', did).execute()
  }
  for (const name of names) await appendChange(transaction, { did, name }, now)
}
