import type { Transaction } from 'kysely'
import { keptSubdomainMs, keptSubdomainsMax } from '#site/limits.ts'
import type { Did } from '#site/site-address.ts'
import { didHash } from '#store/accounts/did-hash.ts'
import type { Db } from '#store/database/database.ts'
import type { Schema } from '#store/database/schema.ts'

/** A subdomain that its last owner has given up, and that nobody else gets before `keptUntil`. */
export interface KeptSubdomain {
  readonly domain: string
  readonly keptUntil: number
}

/** Keeps names for the account that gives them up now. */
export async function keepSubdomains(
  transaction: Transaction<Schema>,
  did: Did,
  domains: readonly string[],
  now: number,
): Promise<void> {
  const owner = { didHash: didHash(did), releasedAt: now }
  for (const domain of domains) {
    await transaction
      .insertInto('keptSubdomains')
      .values({ domain, ...owner })
      .onConflict((conflict) => conflict.column('domain').doUpdateSet(owner))
      .execute()
  }
}

/**
 * Whether the account has to wait before it gets a name that is not kept for it: `keptSubdomainsMax` of those it gave up
 * are kept. So nobody hoards names by claiming and releasing them, and releasing more frees no kept name early.
 */
export async function hasTooManyKept(
  db: Db,
  { did, domain }: { did: Did; domain: string },
  now: number,
): Promise<boolean> {
  const kept = await listKeptSubdomains(db, did, now)
  return kept.length >= keptSubdomainsMax && !kept.some((each) => each.domain === domain)
}

/** Whether only somebody else than this account gets the name. Null: nobody in particular. */
export async function isKeptForAnother(
  db: Db,
  domain: string,
  did: Did | null,
  now: number,
): Promise<boolean> {
  const row = await db
    .selectFrom('keptSubdomains')
    .select('didHash')
    .where('domain', '=', domain)
    .where('releasedAt', '>', now - keptSubdomainMs)
    .executeTakeFirst()
  return row !== undefined && (did === null || row.didHash !== didHash(did))
}

/** What is kept for the account, by name. */
export async function listKeptSubdomains(db: Db, did: Did, now: number): Promise<KeptSubdomain[]> {
  const rows = await db
    .selectFrom('keptSubdomains')
    .select(['domain', 'releasedAt'])
    .where('didHash', '=', didHash(did))
    .where('releasedAt', '>', now - keptSubdomainMs)
    .orderBy('domain')
    .execute()
  return rows.map(({ domain, releasedAt }) => ({ domain, keptUntil: releasedAt + keptSubdomainMs }))
}

/** Somebody has it again. */
export async function forgetKeptSubdomain(db: Db, domain: string): Promise<void> {
  await db.deleteFrom('keptSubdomains').where('domain', '=', domain).execute()
}

/** Forgets the names whose time is over. */
export async function dropKeptSubdomains(db: Db, now: number): Promise<void> {
  await db
    .deleteFrom('keptSubdomains')
    .where('releasedAt', '<=', now - keptSubdomainMs)
    .execute()
}
