import type { Selectable, Transaction } from 'kysely'
import type { Did } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import { lockOrThrowIfDeletedHere } from '#store/accounts/deleted-here.ts'
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
import { tellNames } from './tell-names.ts'

/** A name below the base domain that an account has claimed. `site`: the name of the one it leads to. */
export interface Subdomain extends Readonly<Omit<Selectable<Schema['subdomains']>, 'isPrimary'>> {
  /** Whether it is the one that the other names of its site lead to. */
  readonly isPrimary: boolean
}

/** Whose name, of all that are claimed. */
export interface SubdomainKey {
  readonly did: Did
  /** With the base domain. */
  readonly domain: string
}

export type ClaimOutcome =
  | { readonly claimed: true }
  | { readonly claimed: false; readonly reason: 'taken' | 'limit' | 'kept-limit' }

/**
 * Gives the name to the account, unless it has `subdomainsMax`, or `keptSubdomainsMax` others are kept for it. Of several that ask at once, one gets it. Throws
 * AccountDeletedHereError.
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

/** Takes another name in place of one of the account's, which is released; what it leads to, and its age, stay. */
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
    // Not an update of the key: two that take each other's names would wait for each other.
    const renamed = { ...row, domain: newDomain, updatedAt: now }
    if (!(await insertUnlessTaken(transaction, renamed, now))) return 'taken'
    await transaction.deleteFrom('subdomains').where('domain', '=', domain).execute()
    await keepSubdomains(transaction, did, [domain], now)
    await tellEdge(transaction, row, now)
    await appendHostChange(transaction, newDomain, now)
    return 'renamed'
  })
}

/** Has the account's name lead to its site of that name, or nowhere. False: it has no such subdomain. */
export async function mapSubdomain(
  db: Db,
  { did, domain }: SubdomainKey,
  site: SiteName | null,
  now: number,
): Promise<boolean> {
  const mapped = await withSubdomain(db, { did, domain }, async (transaction, row) => {
    // What was chosen for one site is not chosen for another.
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

/** After `keptSubdomainMs` anybody may claim the name, its last owner at once. False: the account has no such subdomain. */
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

/** Runs `work` on the account's name as it is, while nobody else changes it; null: it has no such subdomain. */
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

/** The account's, oldest first. */
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

function subdomainOf(row: Selectable<Schema['subdomains']>): Subdomain {
  return { ...row, isPrimary: row.isPrimary === 1 }
}

/** `subdomain` is its state before the change; if it was a primary domain, the site's other names change too. */
async function tellEdge(
  db: Db,
  { did, domain, site, isPrimary }: Subdomain,
  now: number,
): Promise<void> {
  await appendHostChange(db, domain, now)
  if (isPrimary && site !== null) await tellNames(db, { did, name: site }, now)
}

/** One change of an account's subdomains at a time. */
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

/** False: somebody has that name, had it a moment earlier, or is the only one who gets it. */
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
  // Only now: PostgreSQL has waited for a concurrent release to commit, and shows its kept name.
  if (await isKeptForAnother(transaction, row.domain, row.did, now)) {
    await transaction.deleteFrom('subdomains').where('domain', '=', row.domain).execute()
    return false
  }
  await forgetKeptSubdomain(transaction, row.domain)
  return true
}
