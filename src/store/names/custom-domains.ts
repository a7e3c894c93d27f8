import type { Selectable } from 'kysely'
import type { Did, SiteAddress } from '#site/site-address.ts'
import { lockOrThrowIfDeletedHere } from '#store/accounts/deleted-here.ts'
import { isOfSites } from '#store/database/among.ts'
import type { Db } from '#store/database/database.ts'
import type { Schema } from '#store/database/schema.ts'
import { isWithin, type Key, skipRows } from '#store/database/search.ts'
import { inTransaction, isPostgres, lockUntilCommit } from '#store/database/transaction.ts'

/** A custom domain, as one account has added it. Several accounts may add the same one; one of them may be verified. */
export interface CustomDomain extends Omit<Row, 'verified' | 'isPrimary'> {
  readonly verified: boolean
  /** Whether the other names of its site lead to it. */
  readonly isPrimary: boolean
}

type Row = Selectable<Schema['customDomains']>

/** An id is valid only together with its account. */
export interface CustomDomainKey {
  readonly did: Did
  readonly id: string
}

export type AddOutcome =
  | { readonly added: true; readonly domain: CustomDomain }
  | { readonly added: false; readonly reason: AddRefusal }

export type AddRefusal = 'verified-elsewhere' | 'pending-limit' | 'limit'

interface AddOptions {
  readonly pendingMax: number
  readonly domainsMax: number
  readonly now: number
}

/** Adds an unverified domain, or returns the one that the account already has. Throws AccountDeletedHereError. */
export function addCustomDomain(
  db: Db,
  { did, id, domain }: CustomDomainKey & { readonly domain: string },
  { pendingMax, domainsMax, now }: AddOptions,
): Promise<AddOutcome> {
  return inTransaction(db, async (transaction) => {
    await lockOrThrowIfDeletedHere(transaction, did)
    await lockUntilCommit(transaction, `custom domains of ${did}`)
    const owned = await listCustomDomains(transaction, did)
    const known = owned.find((each) => each.domain === domain)
    if (known !== undefined) return { added: true, domain: known }
    const registered = await findRegisteredDomain(transaction, domain)
    if (registered?.verified) return { added: false, reason: 'verified-elsewhere' }
    if (owned.length >= domainsMax) return { added: false, reason: 'limit' }
    const pending = owned.filter(({ verified }) => !verified)
    if (pending.length >= pendingMax) return { added: false, reason: 'pending-limit' }
    const row = await transaction
      .insertInto('customDomains')
      .values({ did, id, domain, ...unchecked, nextCheckAt: now, createdAt: now, updatedAt: now })
      .returningAll()
      .executeTakeFirstOrThrow()
    return { added: true, domain: customDomainOf(row) }
  })
}

const unchecked = {
  verified: 0,
  site: null,
  confirmedAt: null,
  checkedAt: null,
  misses: 0,
  missingSince: null,
  ownershipWarning: null,
  pointingWarning: null,
} as const

export async function findCustomDomain(
  db: Db,
  { did, id }: CustomDomainKey,
): Promise<CustomDomain | null> {
  const row = await db
    .selectFrom('customDomains')
    .selectAll()
    .where('id', '=', id)
    .where('did', '=', did)
    .executeTakeFirst()
  return row ? customDomainOf(row) : null
}

/** The account's domains, oldest first. */
export async function listCustomDomains(db: Db, did: Did): Promise<CustomDomain[]> {
  const rows = await db
    .selectFrom('customDomains')
    .selectAll()
    .where('did', '=', did)
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
  return rows.map(customDomainOf)
}

/** Those that lead to one of these sites, oldest first; at most a page of sites. */
export async function listCustomDomainsOf(
  db: Db,
  sites: readonly SiteAddress[],
): Promise<CustomDomain[]> {
  if (sites.length === 0) return []
  const rows = await db
    .selectFrom('customDomains')
    .selectAll()
    .where(isOfSites(sites))
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
  return rows.map(customDomainOf)
}

/** The newest ones of all accounts, newest first. */
export async function listNewestCustomDomains(
  db: Db,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<CustomDomain[]> {
  const newest = (after: Key | null) =>
    db
      .selectFrom('customDomains')
      .where(isWithin(['createdAt', 'id'], { after, upTo: null }, 'desc'))
      .orderBy('createdAt', 'desc')
      .orderBy('id', 'desc')
  const skipped = await skipRows(
    db,
    async (after, rows) => {
      const page = newest(after).select(['createdAt', 'id'])
      const row = await page
        .limit(1)
        .offset(rows - 1)
        .executeTakeFirst()
      return row === undefined ? null : [row.createdAt, row.id]
    },
    offset,
  )
  if (skipped === null) return []
  const page = newest(skipped.after).selectAll().limit(limit).offset(skipped.offset)
  return (await page.execute()).map(customDomainOf)
}

/** The domain of the account that has verified it, else of the first account that added it. */
export async function findRegisteredDomain(db: Db, domain: string): Promise<CustomDomain | null> {
  const row = await db
    .selectFrom('customDomains')
    .selectAll()
    .where('domain', '=', domain)
    .orderBy('verified', 'desc')
    .orderBy('createdAt')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return row ? customDomainOf(row) : null
}

/**
 * Takes verified domains whose next check is due, longest overdue first. No other caller gets them until `leaseMs` are
 * over.
 */
export function takeDueCustomDomains(
  db: Db,
  { now, leaseMs, limit }: { now: number; leaseMs: number; limit: number },
): Promise<CustomDomain[]> {
  return inTransaction(db, async (transaction) => {
    const due = transaction
      .selectFrom('customDomains')
      .select('id')
      .where('verified', '=', 1)
      .where('nextCheckAt', '<=', now)
      .orderBy('nextCheckAt')
      .limit(limit)
    const taken = await (isPostgres(db) ? due.forUpdate().skipLocked() : due).execute()
    if (taken.length === 0) return []
    const ids = taken.map(({ id }) => id)
    const rows = await transaction
      .updateTable('customDomains')
      .set({ nextCheckAt: now + leaseMs })
      .where('id', 'in', ids)
      .returningAll()
      .execute()
    return rows.map(customDomainOf)
  })
}

export function customDomainOf(row: Row): CustomDomain {
  return { ...row, verified: row.verified === 1, isPrimary: row.isPrimary === 1 }
}
