import type { Transaction } from 'kysely'
import type { SiteName } from '#site/site-name.ts'
import type { Db } from '#store/database/database.ts'
import type { Schema } from '#store/database/schema.ts'
import { inTransaction, lockUntilCommit } from '#store/database/transaction.ts'
import { appendDomainEvent } from './append-domain-event.ts'
import {
  type CustomDomain,
  type CustomDomainKey,
  customDomainOf,
  findCustomDomain,
} from './custom-domains.ts'
import { tellEdge } from './tell-names.ts'

/** Maps the domain to its account's site, or unmaps it. False: no such domain. */
export async function mapCustomDomain(
  db: Db,
  key: CustomDomainKey,
  site: SiteName | null,
  now: number,
): Promise<boolean> {
  return (await changeCustomDomain(db, key, () => ({ site }), now)) !== null
}

export type CustomDomainChange = Partial<
  Omit<CustomDomain, 'id' | 'did' | 'domain' | 'createdAt' | 'updatedAt'>
>

/**
 * Changes a domain as `decide` says, one change at a time, and tells the edge if it may lead elsewhere now. Returns the
 * changed domain; null: no such domain. Only `confirmCustomDomain` makes a domain verified.
 */
export async function changeCustomDomain(
  db: Db,
  key: CustomDomainKey,
  decide: (domain: CustomDomain) => CustomDomainChange & { readonly verified?: false },
  now: number,
): Promise<CustomDomain | null> {
  return await withCustomDomain(db, key, async (transaction, domain) => {
    const change = decide(domain)
    // It was chosen as the primary domain of one site, not of another.
    const isMoved = change.site !== undefined && change.site !== domain.site
    const all = isMoved ? { ...change, isPrimary: false } : change
    const changed = await updateCustomDomain(transaction, domain.id, all, now)
    if (changed === null) return null
    const isLost = domain.verified && !changed.verified
    const hasFailed = domain.ownershipWarning === null && changed.ownershipWarning !== null
    if (isLost) await appendDomainEvent(transaction, 'domain.lost', changed, now)
    else if (hasFailed) await appendDomainEvent(transaction, 'domain.failed', changed, now)
    if ('verified' in change || 'site' in change) await tellEdge(transaction, domain, now)
    return changed
  })
}

/** False: no such domain. */
export async function deleteCustomDomain(
  db: Db,
  key: CustomDomainKey,
  now: number,
): Promise<boolean> {
  const deleted = await withCustomDomain(db, key, async (transaction, domain) => {
    await transaction.deleteFrom('customDomains').where('id', '=', domain.id).execute()
    await tellEdge(transaction, domain, now)
    return true
  })
  return deleted ?? false
}

/** Runs `work` on the domain while nothing else changes its owner; null: no such domain. */
export function withCustomDomain<Result>(
  db: Db,
  key: CustomDomainKey,
  work: (transaction: Transaction<Schema>, domain: CustomDomain) => Promise<Result>,
): Promise<Result | null> {
  return inTransaction(db, async (transaction) => {
    const known = await findCustomDomain(transaction, key)
    if (known === null) return null
    await lockUntilCommit(transaction, `custom domain ${known.domain}`)
    // It may have changed before we got the lock.
    const domain = await findCustomDomain(transaction, key)
    return domain === null ? null : await work(transaction, domain)
  })
}

/** Null: the domain no longer exists, perhaps because of an account deletion. */
export async function updateCustomDomain(
  db: Db,
  id: string,
  { verified, isPrimary, ...change }: CustomDomainChange,
  now: number,
): Promise<CustomDomain | null> {
  const row = await db
    .updateTable('customDomains')
    .set({ ...change, ...(verified !== undefined && { verified: verified ? 1 : 0 }) })
    .set({ ...(isPrimary !== undefined && { isPrimary: isPrimary ? 1 : 0 }) })
    .set({ updatedAt: now })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  return row ? customDomainOf(row) : null
}
