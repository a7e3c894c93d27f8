import { type RawBuilder, sql } from 'kysely'
import type { CertificateFacts, CertificateProblem } from '#site/certificate-state.ts'
import { aggregatesOf } from '#store/database/aggregate.ts'
import { chunksOf } from '#store/database/chunks.ts'
import type { Db } from '#store/database/database.ts'
import { preparedForList } from '#store/database/prepared.ts'

/** A certificate as it is stored. */
export interface StoredCertificate {
  readonly name: string
  readonly chain: string
  readonly sealedKey: string
  readonly validUntil: number
  readonly renewAt: number
  /** URL of the authority's directory. */
  readonly issuedBy: string
  /** When the authority is asked whether it wants it renewed; null: never. */
  readonly renewalInfoAt: number | null
}

/** Orders one for each of these names that has none; one that was not wanted any more is wanted again. */
export async function wantCertificates(
  db: Db,
  names: readonly string[],
  now: number,
): Promise<void> {
  for (const some of chunksOf(names)) {
    await db
      .insertInto('certificates')
      .values(some.map((name) => ({ name, isWanted: 1 as const, dueAt: now, changedAt: 0 })))
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ isWanted: 1 }))
      .execute()
  }
}

/** The certificate is not renewed any more. */
export async function unwantCertificates(db: Db, names: readonly string[]): Promise<void> {
  for (const some of chunksOf(names)) {
    await db.updateTable('certificates').set({ isWanted: 0 }).where('name', 'in', some).execute()
  }
}

/** Of a name that is not wanted any more: whoever removes and adds it again does not begin anew. */
export const failuresKeptMs = 24 * 60 * 60_000

/** Those that are not wanted and not valid any more, except for names that would still have to wait if they were wanted again. */
export async function deleteOldCertificates(db: Db, now: number): Promise<void> {
  await db
    .deleteFrom('certificates')
    .where('isWanted', '=', 0)
    .where('dueAt', '<=', now)
    .where((row) => row.or([row('failures', '=', 0), row('dueAt', '<=', now - failuresKeptMs)]))
    .where((row) => row.or([row('validUntil', 'is', null), row('validUntil', '<=', now)]))
    .execute()
}

/** A page of all names that are wanted, or of those that are not wanted any more, in their order. */
export async function listCertificateNames(
  db: Db,
  {
    isWanted,
    after,
    limit,
  }: { readonly isWanted: boolean; readonly after: string; readonly limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('certificates')
    .select('name')
    .where('isWanted', '=', isWanted ? 1 : 0)
    .where('name', '>', after)
    .orderBy('name')
    .limit(limit)
    .execute()
  return rows.map(({ name }) => name)
}

/** Those among these names that are wanted. At most as many as `chunksOf` yields. */
export async function wantedAmong(db: Db, names: readonly string[]): Promise<Set<string>> {
  const rows = await wantedOf(db, names)
  return new Set(rows.map(({ name }) => name))
}

const wantedOf = preparedForList((db, names: readonly RawBuilder<string>[]) =>
  db.selectFrom('certificates').select('name').where('isWanted', '=', 1).where('name', 'in', names),
)

/** Also of a name that is not wanted any more: it was ordered while it was. */
export async function saveCertificate(
  db: Db,
  { name, ...certificate }: StoredCertificate,
  now: number,
): Promise<void> {
  await db
    .updateTable('certificates')
    .set({
      ...certificate,
      dueAt: certificate.renewAt,
      failures: 0,
      dnsFailures: 0,
      lastProblem: null,
      lastError: null,
    })
    .set({ changedAt: now })
    .where('name', '=', name)
    .execute()
}

/** It is not ordered before. No failure: nobody was asked. */
export async function postponeCertificate(db: Db, name: string, dueAt: number): Promise<void> {
  await db.updateTable('certificates').set({ dueAt }).where('name', '=', name).execute()
}

interface CertificateFailure extends Pick<CertificateFacts, 'detail' | 'dueAt'> {
  readonly problem: CertificateProblem
  /** No authority was asked: the failed orders stay as many as they are. */
  readonly isOfDns?: boolean
}

export async function saveCertificateFailure(
  db: Db,
  name: string,
  { detail, dueAt, isOfDns = false, problem }: CertificateFailure,
): Promise<void> {
  await db
    .updateTable('certificates')
    .set((row) => ({
      lastProblem: problem,
      lastError: detail,
      dueAt,
      ...(isOfDns
        ? { dnsFailures: row('dnsFailures', '+', 1) }
        : { failures: row('failures', '+', 1), dnsFailures: 0 }),
    }))
    .where('name', '=', name)
    .execute()
}

/** Those that failed last for one of these reasons are ordered now. */
export async function retryAfter(
  db: Db,
  problems: readonly CertificateProblem[],
  now: number,
): Promise<void> {
  await db
    .updateTable('certificates')
    .set({ dueAt: now })
    .where('isWanted', '=', 1)
    .where('lastProblem', 'in', problems)
    .where('dueAt', '>', now)
    .execute()
}

/** The certificate that is stored for a name; null: none yet. */
export async function findCertificate(
  db: Db,
  name: string,
): Promise<Pick<StoredCertificate, 'chain' | 'sealedKey'> | null> {
  const row = await db
    .selectFrom('certificates')
    .select(['chain', 'sealedKey'])
    .where('name', '=', name)
    .executeTakeFirst()
  const { chain, sealedKey } = row ?? { chain: null, sealedKey: null }
  return chain === null || sealedKey === null ? null : { chain, sealedKey }
}

export interface ChangedCertificate {
  readonly name: string
  readonly changedAt: number
}

/** A page of the certificates that have changed at this time or later, in the order of their changes. */
export async function listChangedCertificates(
  db: Db,
  {
    since,
    after,
    limit,
  }: { readonly since: number; readonly after: string; readonly limit: number },
): Promise<ChangedCertificate[]> {
  return await db
    .selectFrom('certificates')
    .select(['name', 'changedAt'])
    .where('chain', 'is not', null)
    .where((row) =>
      row.or([
        row('changedAt', '>', since),
        row.and([row('changedAt', '=', since), row('name', '>', after)]),
      ]),
    )
    .orderBy('changedAt')
    .orderBy('name')
    .limit(limit)
    .execute()
}

/** What is stored of these names' certificates, by name. */
export async function findCertificateFacts(
  db: Db,
  names: readonly string[],
): Promise<Map<string, CertificateFacts>> {
  const found = new Map<string, CertificateFacts>()
  for (const some of chunksOf(names)) {
    const rows = await db
      .selectFrom('certificates')
      .select(['name', 'isWanted', 'validUntil', 'dueAt', 'lastProblem', 'lastError'])
      .where('name', 'in', some)
      .execute()
    for (const { name, isWanted, lastError: detail, lastProblem: problem, ...times } of rows) {
      found.set(name, { ...times, isWanted: isWanted === 1, problem, detail })
    }
  }
  return found
}

/** Names that are in the same state. */
export interface CertificateGroup extends CertificateFacts {
  readonly count: number
}

interface GroupRow extends Pick<CertificateFacts, 'dueAt' | 'problem' | 'validUntil'> {
  readonly count: number
  readonly isWanted: 0 | 1
  /** Whether its certificate is over; 2: there is none. */
  readonly isOver: number
}

/** All names, in as many groups as there are states; `validUntil` and `dueAt` are the soonest of a group. */
export async function countCertificates(db: Db, now: number): Promise<CertificateGroup[]> {
  const isOver = sql`case when valid_until <= ${sql.lit(now)} then 1 when valid_until is null then 2 else 0 end`
  const columns = sql`is_wanted, last_problem as problem, ${isOver} as is_over,
    min(valid_until) as valid_until, min(due_at) as due_at, count(*) as count`
  const groupBy = sql`is_wanted, last_problem, ${isOver}`
  const groups = new Map<string, CertificateGroup>()
  const names = { table: 'certificates', key: 'name', groupBy }
  for await (const row of aggregatesOf<GroupRow>(db, columns, names)) {
    const key = [row.isWanted, row.problem, row.isOver].join(' ')
    const group = groups.get(key)
    groups.set(key, {
      count: Number(row.count) + (group?.count ?? 0),
      isWanted: row.isWanted === 1,
      validUntil: sooner(row.validUntil, group?.validUntil ?? null),
      dueAt: Math.min(row.dueAt, group?.dueAt ?? row.dueAt),
      problem: row.problem,
      detail: null,
    })
  }
  return [...groups.values()]
}

const sooner = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other)
