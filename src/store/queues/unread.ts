import type { Selectable } from 'kysely'
import type { Did, SiteAddress } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import type { Db } from '#store/database/database.ts'
import type { Schema } from '#store/database/schema.ts'
import { parkedAt } from './work-items.ts'

/** What could not be read the last time that it was tried. */
interface Failure {
  readonly attempts: number
  readonly error: string
  /** By our clock; null: it is parked, nobody tries until it is asked for again. */
  readonly nextAttemptAt: number | null
}

export interface UnreadSite extends SiteAddress, Failure {}

export interface Unread extends Failure {
  readonly did: Did
  /** Null: the account as a whole. */
  readonly name: string | null
}

/** Those of this account, in their order. */
export async function listUnreadSites(db: Db, did: Did): Promise<UnreadSite[]> {
  const rows = await failed(db)
    .where('did', '=', did)
    .where('kind', '=', 'site')
    .orderBy('site')
    .execute()
  return rows.map((row) => ({ ...failureOf(row), name: row.site as SiteName }))
}

/** Sites and accounts: what is parked first, then what is tried last. */
export async function listUnread(db: Db, limit: number): Promise<Unread[]> {
  const rows = await failed(db)
    .orderBy('nextAttemptAt', 'desc')
    .orderBy('kind')
    .orderBy('did')
    .orderBy('site')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ ...failureOf(row), name: row.site || null }))
}

const failed = (db: Db) =>
  db
    .selectFrom('workItems')
    .select(['did', 'site', 'attempts', 'lastError', 'nextAttemptAt'])
    .where('lastError', 'is not', null)

type Row = Pick<Selectable<Schema['workItems']>, 'did' | 'attempts' | 'lastError' | 'nextAttemptAt'>

const failureOf = ({ did, attempts, lastError, nextAttemptAt }: Row) => ({
  did,
  attempts,
  error: lastError ?? '',
  nextAttemptAt: nextAttemptAt === parkedAt ? null : nextAttemptAt,
})
