import type { Db } from '#store/database/database.ts'
import { inTransaction, lockUntilCommit } from '#store/database/transaction.ts'

/** The sealed key of our account with an authority; null: none yet. */
export async function findAcmeKey(db: Db, directory: string): Promise<string | null> {
  const row = await db
    .selectFrom('acmeAccounts')
    .select('sealedKey')
    .where('directory', '=', directory)
    .executeTakeFirst()
  return row?.sealedKey ?? null
}

/** Keeps the key that is there already, perhaps another process's; returns the one that counts. */
export async function keepAcmeKey(db: Db, directory: string, sealedKey: string): Promise<string> {
  await db
    .insertInto('acmeAccounts')
    .values({ directory, sealedKey, ordersSpentUntil: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return (await findAcmeKey(db, directory)) ?? sealedKey
}

interface OrderAllowance {
  readonly count: number
  readonly windowMs: number
}

/**
 * Takes one of the orders that the authority allows this account, a bucket that refills evenly (GCRA, as `RateLimiter`), for all
 * processes. Returns 0, or the milliseconds until there is one.
 */
export function takeOrder(
  db: Db,
  directory: string,
  { count, windowMs }: OrderAllowance,
  now: number,
): Promise<number> {
  return inTransaction(db, async (transaction) => {
    await lockUntilCommit(transaction, `orders at ${directory}`)
    const account = await transaction
      .selectFrom('acmeAccounts')
      .select('ordersSpentUntil')
      .where('directory', '=', directory)
      .executeTakeFirstOrThrow()
    const spentUntil = Math.max(account.ordersSpentUntil, now) + Math.ceil(windowMs / count)
    const waitMs = spentUntil - now - windowMs
    if (waitMs > 0) return waitMs
    await transaction
      .updateTable('acmeAccounts')
      .set({ ordersSpentUntil: spentUntil })
      .where('directory', '=', directory)
      .execute()
    return 0
  })
}

/** Of http-01. */
export async function putChallenge(
  db: Db,
  challenge: { readonly token: string; readonly answer: string; readonly expiresAt: number },
): Promise<void> {
  await db
    .insertInto('acmeChallenges')
    .values(challenge)
    .onConflict((conflict) => conflict.column('token').doUpdateSet(challenge))
    .execute()
}

/** Of dns-01: an authority looks for `value` at `name`. */
export async function putDnsChallenge(
  db: Db,
  {
    expiresAt,
    name,
    value,
  }: { readonly name: string; readonly value: string; readonly expiresAt: number },
): Promise<void> {
  await putChallenge(db, { token: `${dnsPrefix(name)}${value}`, answer: value, expiresAt })
}

/** Of the tokens of a name's dns-01 challenges: it may have several. No token of http-01 has a blank. */
const dnsPrefix = (name: string): string => `${name} `

/** What authorities look for at a name of the DNS, of what `readChallengeAnswers` returned. */
export function dnsValuesOf(answers: ReadonlyMap<string, string>, name: string): string[] {
  const ofName = [...answers].filter(([token]) => token.startsWith(dnsPrefix(name)))
  return ofName.map(([, value]) => value)
}

/** Far more than orders can be open at a time. */
const challengesMax = 2_000

/** By token; the newest ones, should there be too many. */
export async function readChallengeAnswers(db: Db): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .selectFrom('acmeChallenges')
    .select(['token', 'answer'])
    .orderBy('expiresAt', 'desc')
    .limit(challengesMax)
    .execute()
  return new Map(rows.map(({ answer, token }) => [token, answer]))
}

export async function deleteExpiredChallenges(db: Db, now: number): Promise<void> {
  await db.deleteFrom('acmeChallenges').where('expiresAt', '<=', now).execute()
}
