import type { Selectable, Transaction } from 'kysely'
import type { Did, SiteAddress } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import { lockOrThrowIfDeletedHere } from '#store/accounts/deleted-here.ts'
import { isOfSites } from '#store/database/among.ts'
import { appendHostChange } from '#store/database/changes.ts'
import type { Db } from '#store/database/database.ts'
import type { Schema } from '#store/database/schema.ts'
import { inTransaction, lockUntilCommit } from '#store/database/transaction.ts'
import {
  forgetKeptSubdomain,
  hasTooManyKept,
  isKeptForAnother,
  keepSubdomains,
} from './kept-subdomains.ts'
import { tellEdge } from './tell-names.ts'

/** A name under the base domain that an account has claimed. */
export interface Subdomain extends Readonly<Omit<Selectable<Schema['subdomains']>, 'isPrimary'>> {
  /** Whether the other names of its site lead to it. */
  readonly isPrimary: boolean
}

export interface SubdomainKey {
  readonly did: Did
  /** With the base domain. */
  readonly domain: string
}

export type ClaimOutcome =
  | { readonly claimed: true }
  | { readonly claimed: false; readonly reason: 'taken' | 'limit' | 'kept-limit' }

/**
 * Gives the name to the account, unless the account has `subdomainsMax`, or `keptSubdomainsMax` others are kept for it.
 * Only one of several concurrent callers gets it. Throws AccountDeletedHereError.
 */
export function claimSubdomain(
  db: Db,
  { did, domain }: SubdomainKey,
  { subdomainsMax, now }: { subdomainsMax: number; now: number },
): Promise<ClaimOutcome> {
  return inAccountTransaction(db, did, async (transaction) => {
    if ((await findSubdomain(transaction, domain)) !== null) return taken
    const owned = await listSubdomains(transaction, did)
    if (owned.length >= subdomainsMax) return { claimed: false, reason: 'limit' }
    if (await hasTooManyKept(transaction, { did, domain }, now)) {
      return { claimed: false, reason: 'kept-limit' }
    }
    const row = { did, domain, site: null, isPrimary: false, createdAt: now, updatedAt: now }
    if (!(await insertUnlessTaken(transaction, row, now))) return taken
    await appendHostChange(transaction, domain, now)
    return { claimed: true }
  })
}

const taken: ClaimOutcome = { claimed: false, reason: 'taken' }

export type RenameOutcome = 'renamed' | 'taken' | 'kept-limit' | 'not-found'

/** Claims another name and releases the account's old one; the site and `createdAt` stay. */
export function renameSubdomain(
  db: Db,
  { did, domain }: SubdomainKey,
  newDomain: string,
  now: number,
): Promise<RenameOutcome> {
  return inAccountTransaction(db, did, async (transaction) => {
    const row = await findSubdomain(transaction, domain)
    if (row?.did !== did) return 'not-found'
    if (newDomain === domain) return 'renamed'
    if (await hasTooManyKept(transaction, { did, domain: newDomain }, now)) return 'kept-limit'
    // No update of the key: two accounts that take each other's names would deadlock.
    const renamed = { ...row, domain: newDomain, updatedAt: now }
    if (!(await insertUnlessTaken(transaction, renamed, now))) return 'taken'
    await transaction.deleteFrom('subdomains').where('domain', '=', domain).execute()
    await keepSubdomains(transaction, did, [domain], now)
    await tellEdge(transaction, row, now)
    await appendHostChange(transaction, newDomain, now)
    return 'renamed'
  })
}

/** Maps the account's subdomain to its site, or unmaps it. False: it has no such subdomain. */
export async function mapSubdomain(
  db: Db,
  { did, domain }: SubdomainKey,
  site: SiteName | null,
  now: number,
): Promise<boolean> {
  const mapped = await withSubdomain(db, { did, domain }, async (transaction, row) => {
    // It was chosen as the primary domain of one site, not of another.
    const isPrimary = row.isPrimary && row.site === site ? 1 : 0
    await transaction
      .updateTable('subdomains')
      .set({ site, isPrimary, updatedAt: now })
      .where('domain', '=', domain)
      .execute()
    await tellEdge(transaction, row, now)
    return true
  })
  return mapped ?? false
}

/** Others may claim the name after `keptSubdomainMs`, this account at once. False: it has no such subdomain. */
export async function releaseSubdomain(
  db: Db,
  { did, domain }: SubdomainKey,
  now: number,
): Promise<boolean> {
  const released = await withSubdomain(db, { did, domain }, async (transaction, row) => {
    await transaction.deleteFrom('subdomains').where('domain', '=', domain).execute()
    await keepSubdomains(transaction, did, [domain], now)
    await tellEdge(transaction, row, now)
    return true
  })
  return released ?? false
}

/** Runs `work` on the account's subdomain while nothing else changes it; null: it has no such subdomain. */
export function withSubdomain<Result>(
  db: Db,
  { did, domain }: SubdomainKey,
  work: (transaction: Transaction<Schema>, subdomain: Subdomain) => Promise<Result>,
): Promise<Result | null> {
  return inAccountTransaction(db, did, async (transaction) => {
    const row = await findSubdomain(transaction, domain)
    return row?.did === did ? await work(transaction, row) : null
  })
}

export async function findSubdomain(db: Db, domain: string): Promise<Subdomain | null> {
  const row = await db
    .selectFrom('subdomains')
    .selectAll()
    .where('domain', '=', domain)
    .executeTakeFirst()
  return row ? subdomainOf(row) : null
}

/** The account's subdomains, oldest first. */
export async function listSubdomains(db: Db, did: Did): Promise<Subdomain[]> {
  const rows = await db
    .selectFrom('subdomains')
    .selectAll()
    .where('did', '=', did)
    .orderBy('createdAt')
    .orderBy('domain')
    .execute()
  return rows.map(subdomainOf)
}

/** Those that lead to one of these sites, oldest first; at most a page of sites. */
export async function listSubdomainsOf(
  db: Db,
  sites: readonly SiteAddress[],
): Promise<Subdomain[]> {
  if (sites.length === 0) return []
  const rows = await db
    .selectFrom('subdomains')
    .selectAll()
    .where(isOfSites(sites))
    .orderBy('createdAt')
    .orderBy('domain')
    .execute()
  return rows.map(subdomainOf)
}

function subdomainOf(row: Selectable<Schema['subdomains']>): Subdomain {
  return { ...row, isPrimary: row.isPrimary === 1 }
}

/** Changes an account's subdomains, one change at a time. */
function inAccountTransaction<Result>(
  db: Db,
  did: Did,
  work: (transaction: Transaction<Schema>) => Promise<Result>,
): Promise<Result> {
  return inTransaction(db, async (transaction) => {
    await lockOrThrowIfDeletedHere(transaction, did)
    await lockUntilCommit(transaction, `subdomains ${did}`)
    return await work(transaction)
  })
}

/** False: another account has the name, or it is kept for another account. */
async function insertUnlessTaken(
  transaction: Transaction<Schema>,
  row: Subdomain,
  now: number,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('subdomains')
    .values({ ...row, isPrimary: row.isPrimary ? 1 : 0 })
    .onConflict((conflict) => conflict.column('domain').doNothing())
    .executeTakeFirstOrThrow()
  if (numInsertedOrUpdatedRows !== 1n) return false
  // After the insert, for which PostgreSQL waits until a concurrent release commits, which keeps the name.
  if (await isKeptForAnother(transaction, row.domain, row.did, now)) {
    await transaction.deleteFrom('subdomains').where('domain', '=', row.domain).execute()
    return false
  }
  await forgetKeptSubdomain(transaction, row.domain)
  return true
}
