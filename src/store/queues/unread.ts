import type { Did, SiteAddress } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import { parkedAt } from './parked.ts'

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
  const rows = await unreadSites(db).where('did', '=', did).orderBy('name').execute()
  return rows.map(failureOf)
}

/** Sites and accounts: what is parked first, then what is tried last. */
export async function listUnread(db: Db, limit: number): Promise<Unread[]> {
  const sites = unreadSites(db)
    .orderBy('nextAttemptAt', 'desc')
    .orderBy('did')
    .orderBy('name')
    .limit(limit)
  const accounts = db
    .selectFrom('accountQueue')
    .select(['did', 'attempts', 'lastError', 'nextAttemptAt'])
    .where('lastError', 'is not', null)
    .orderBy('nextAttemptAt', 'desc')
    .orderBy('did')
    .limit(limit)
  const rows = [
    ...(await accounts.execute()).map((row) => ({ ...row, name: null })),
    ...(await sites.execute()),
  ]
  return rows
    .sort((a, b) => b.nextAttemptAt - a.nextAttemptAt)
    .slice(0, limit)
    .map(failureOf)
}

const unreadSites = (db: Db) =>
  db
    .selectFrom('ingestQueue')
    .select(['did', 'name', 'attempts', 'lastError', 'nextAttemptAt'])
    .where('lastError', 'is not', null)

function failureOf<Row extends { lastError: string | null; nextAttemptAt: number }>({
  lastError,
  nextAttemptAt,
  ...row
}: Row) {
  return {
    ...row,
    error: lastError ?? '',
    nextAttemptAt: nextAttemptAt === parkedAt ? null : nextAttemptAt,
  }
}
