import { type Selectable, sql } from 'kysely'
import { type Did, type SiteAddress, siteLabel } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import type { Db } from '#store/database/database.ts'
import { prepared } from '#store/database/prepared.ts'
import type { ModerationTables, TakedownStatus } from '#store/database/tables/moderation-tables.ts'

/** A site, or with an empty `site` a whole account, that an administrator took offline here. */
export type Takedown = Readonly<Selectable<ModerationTables['takedowns']>>

/** One site of an account, or with an empty `site` all of them. */
export interface TakedownSubject {
  readonly did: Did
  readonly site: SiteName | ''
}

export type NewTakedown = Omit<Takedown, 'label'>

/** Stores a takedown, in place of an earlier one of the same site or account; it need not be known here. */
export async function putTakedown(db: Db, takedown: NewTakedown): Promise<void> {
  const { did, site } = takedown
  const row = { ...takedown, label: site === '' ? null : siteLabel({ did, name: site }) }
  await db
    .insertInto('takedowns')
    .values(row)
    .onConflict((conflict) => conflict.columns(['did', 'site']).doUpdateSet(row))
    .execute()
}

/** Removes the takedown of exactly this site or account, and returns it; null: there is none. */
export async function removeTakedown(
  db: Db,
  { did, site }: TakedownSubject,
): Promise<Takedown | null> {
  const removed = await db
    .deleteFrom('takedowns')
    .where('did', '=', did)
    .where('site', '=', site)
    .returningAll()
    .executeTakeFirst()
  return removed ?? null
}

/** The takedown of an account as a whole; null: it is not taken down. */
export async function findAccountTakedown(db: Db, did: Did): Promise<Takedown | null> {
  const found = await db
    .selectFrom('takedowns')
    .selectAll()
    .where('did', '=', did)
    .where('site', '=', '')
    .executeTakeFirst()
  return found ?? null
}

/** Why the site is offline: the takedown of its whole account, else its own; null: it is not taken down. */
export async function findTakedown(db: Db, { did, name }: SiteAddress): Promise<Takedown | null> {
  const { rows } = await selectTakedowns(db, { did, name, all: '' })
  return rows[0] ?? null
}

const selectTakedowns = prepared<{ did: Did; name: SiteName; all: '' }, Takedown>(
  (db, { did, name, all }) =>
    db
      .selectFrom('takedowns')
      .selectAll()
      .where('did', '=', did)
      .where('site', 'in', [all, name])
      .orderBy('site')
      .limit(1),
)

/** As `findTakedown`, for the label of a version, or of a site, also of one that is not known here. */
export async function findTakedownByLabel(db: Db, label: string): Promise<TakedownStatus | null> {
  const { rows } = await selectByLabel(db, {
    label,
    again: label,
    ofVersion: label,
    ofPreviews: label,
  })
  return rows[0]?.status ?? null
}

interface Labels {
  readonly label: string
  readonly again: string
  readonly ofVersion: string
  readonly ofPreviews: string
}

const selectByLabel = prepared<Labels, { status: TakedownStatus }>(
  (db, { label, again, ofVersion, ofPreviews }) =>
    db
      .selectFrom('takedowns')
      .select(['status', 'site'])
      .where((where) =>
        where.or([
          where('label', '=', label),
          where.and([
            where('site', '=', ''),
            where(
              'did',
              'in',
              where.selectFrom('sites').select('did').where('sites.label', '=', again),
            ),
          ]),
          where.exists(
            where
              .selectFrom('versionRecords')
              .select('key')
              .whereRef('versionRecords.did', '=', 'takedowns.did')
              .where(sql<boolean>`takedowns.site in ('', version_records.site)`)
              .where('versionRecords.label', '=', ofVersion),
          ),
          // A site that was never live.
          where.exists(
            where
              .selectFrom('versionRecords')
              .select('key')
              .whereRef('versionRecords.did', '=', 'takedowns.did')
              .where('takedowns.site', '=', '')
              .where('versionRecords.siteLabel', '=', ofPreviews)
              .where('versionRecords.alias', 'is not', null),
          ),
        ]),
      )
      .orderBy('site')
      .limit(1),
)

/** The takedowns of any of these sites, and of their accounts. */
export async function listTakedownsAmong(
  db: Db,
  sites: readonly SiteAddress[],
): Promise<TakedownSubject[]> {
  if (sites.length === 0) return []
  const dids = new Set(sites.map(({ did }) => did))
  const names = new Set(sites.map(({ name }) => name))
  return await db
    .selectFrom('takedowns')
    .select(['did', 'site'])
    .where('did', 'in', [...dids])
    .where('site', 'in', ['', ...names])
    .execute()
}

/** The account's takedowns: of the account itself first, then of its sites by name. */
export async function listTakedowns(db: Db, did: Did): Promise<Takedown[]> {
  return await db
    .selectFrom('takedowns')
    .selectAll()
    .where('did', '=', did)
    .orderBy('site')
    .execute()
}
