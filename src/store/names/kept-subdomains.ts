import type { Transaction } from 'kysely'
import { keptSubdomainMs, keptSubdomainsMax } from '#site/limits.ts'
import type { Did } from '#site/site-address.ts'
import { didHash } from '#store/accounts/did-hash.ts'
import type { Db } from '#store/database/database.ts'
import type { Schema } from '#store/database/schema.ts'

/** A released subdomain, which only its last owner may claim before `keptUntil`. */
export interface KeptSubdomain {
  readonly domain: string
  readonly keptUntil: number
}

/** Keeps released subdomains for the account that had them. */
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
 * Whether `keptSubdomainsMax` other subdomains are kept for the account, which then gets no new one: claiming and
 * releasing does not hoard names. Releasing more frees no kept name early.
 */
export async function hasTooManyKept(
  db: Db,
  { did, domain }: { did: Did; domain: string },
  now: number,
): Promise<boolean> {
  const kept = await listKeptSubdomains(db, did, now)
  return kept.length >= keptSubdomainsMax && !kept.some((each) => each.domain === domain)
}

/** Whether the name is kept for another account than this one; null: for any account. */
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

/** The subdomains that are kept for the account, by name. */
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

/** For a name that has been claimed again. */
export async function forgetKeptSubdomain(db: Db, domain: string): Promise<void> {
  await db.deleteFrom('keptSubdomains').where('domain', '=', domain).execute()
}

/** Forgets the names that are no longer kept. */
export async function dropKeptSubdomains(db: Db, now: number): Promise<void> {
  await db
    .deleteFrom('keptSubdomains')
    .where('releasedAt', '<=', now - keptSubdomainMs)
    .execute()
}
