import type { Did } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import { inTransaction, isPostgres } from '#store/database/transaction.ts'

/** A name whose certificate has to be ordered now, and how many orders have failed since it was issued. */
export interface DueCertificate {
  readonly name: string
  readonly failures: number
  /** How often in a row the DNS was in the way, so that no authority was asked. */
  readonly dnsFailures: number
  /** The certificate that is to be renewed; null: there is none. */
  readonly chain: string | null
  readonly issuedBy: string | null
  /** Whose custom domain it is; null: no custom domain. */
  readonly account: Did | null
}

interface TakeOptions {
  readonly now: number
  readonly leaseMs: number
  readonly limit: number
  /** Custom domains of these accounts are not taken. */
  readonly except: readonly Did[]
}

/** No other process gets them for `leaseMs`; if this one dies, they are due again then. */
export function takeDueCertificates(
  db: Db,
  { now, leaseMs, limit, except }: TakeOptions,
): Promise<DueCertificate[]> {
  return inTransaction(db, async (transaction) => {
    const owned = transaction
      .selectFrom('customDomains')
      .select(['domain', 'did'])
      .where('verified', '=', 1)
    const due = transaction
      .selectFrom('certificates')
      .select('name')
      .where('isWanted', '=', 1)
      .where('dueAt', '<=', now)
      .$if(except.length > 0, (query) =>
        query.where(
          'name',
          'not in',
          owned.clearSelect().select('domain').where('did', 'in', except),
        ),
      )
      .orderBy('dueAt')
      .limit(limit)
    const taken = await (isPostgres(db) ? due.forUpdate().skipLocked() : due).execute()
    if (taken.length === 0) return []
    const names = taken.map(({ name }) => name)
    const owners = await owned.where('domain', 'in', names).execute()
    const rows = await transaction
      .updateTable('certificates')
      .set({ dueAt: now + leaseMs })
      .where('name', 'in', names)
      .returning(['name', 'failures', 'dnsFailures', 'chain', 'issuedBy'])
      .execute()
    const accountOf = new Map(owners.map(({ did, domain }) => [domain, did]))
    return rows.map((row) => ({ ...row, account: accountOf.get(row.name) ?? null }))
  })
}
