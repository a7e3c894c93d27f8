import type { NotNull } from 'kysely'
import type { Did, SiteAddress } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import { isOfSites } from '#store/database/among.ts'
import type { Db } from '#store/database/database.ts'
import { parkedAt } from './work-items.ts'

/** The last failed attempt to read a site or an account. */
interface Failure {
  readonly attempts: number
  readonly error: string
  /** Epoch milliseconds; null: parked until somebody requests it again. */
  readonly nextAttemptAt: number | null
}

export interface UnreadSite extends SiteAddress, Failure {}

export interface Unread extends Failure {
  readonly did: Did
  /** Of a site, or the key of a version record; null: the account as a whole. */
  readonly name: string | null
}

/** The account's sites, by name. */
export async function listUnreadSites(db: Db, did: Did): Promise<UnreadSite[]> {
  const rows = await failed(db)
    .where('did', '=', did)
    .where('kind', '=', 'site')
    .orderBy('site')
    .execute()
  return rows.map(({ site, ...failure }) => ({ ...failure, name: site as SiteName }))
}

/** Those of these sites; at most a page of them. */
export async function listUnreadSitesAmong(
  db: Db,
  sites: readonly SiteAddress[],
): Promise<UnreadSite[]> {
  if (sites.length === 0) return []
  const rows = await failed(db).where('kind', '=', 'site').where(isOfSites(sites)).execute()
  return rows.map(({ site, ...failure }) => ({ ...failure, name: site as SiteName }))
}

/** What is to be read of a site, or of an account as a whole (''); null: nothing is. */
export async function findWorkItem(
  db: Db,
  { did, site }: { readonly did: Did; readonly site: SiteName | '' },
): Promise<
  (Omit<Failure, 'error'> & { readonly enqueuedAt: number; readonly error: string | null }) | null
> {
  const row = await items(db)
    .select('enqueuedAt')
    .where('kind', '=', site === '' ? 'account' : 'site')
    .where('did', '=', did)
    .where('site', '=', site)
    .executeTakeFirst()
  return row ?? null
}

/** Whether a version record of the account waits to be read, which may say for the first time what was live. */
export async function hasUnreadVersions(db: Db, did: Did): Promise<boolean> {
  const unread = await db
    .selectFrom('workItems')
    .select('site')
    .where('kind', '=', 'version')
    .where('did', '=', did)
    .where('nextAttemptAt', '!=', parkedAt)
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('versionRecords')
            .select('key')
            .whereRef('versionRecords.did', '=', 'workItems.did')
            .whereRef('versionRecords.key', '=', 'workItems.site')
            .where('versionRecords.manifest', 'is not', null),
        ),
      ),
    )
    .limit(1)
    .executeTakeFirst()
  return unread !== undefined
}

/** Sites, version records and accounts: parked ones first, then the latest next attempts. */
export async function listUnread(db: Db, limit: number): Promise<Unread[]> {
  const rows = await failed(db)
    .orderBy('workItems.nextAttemptAt', 'desc')
    .orderBy('kind')
    .orderBy('did')
    .orderBy('site')
    .limit(limit)
    .execute()
  return rows.map(({ site, ...failure }) => ({ ...failure, name: site || null }))
}

const failed = (db: Db) =>
  items(db).where('lastError', 'is not', null).$narrowType<{ error: NotNull }>()

const items = (db: Db) =>
  db
    .selectFrom('workItems')
    .select(['did', 'site', 'attempts', 'lastError as error'])
    .select(({ fn, val }) =>
      fn<number | null>('nullif', ['nextAttemptAt', val(parkedAt)]).as('nextAttemptAt'),
    )
