import type { Selectable } from 'kysely'
import { versionRecordsMax } from '#site/limits.ts'
import type { Did, SiteAddress } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import type { VersionKey } from '#site/version-key.ts'
import type { Db } from '#store/database/database.ts'
import type { Schema } from '#store/database/schema.ts'
import type { VersionRecordKey } from './version-record-rows.ts'

type Row = Selectable<Schema['versionRecords']>

/** A version that its owner keeps as a record. Its snapshot is read separately: it can be large. */
export interface VersionRecord
  extends Omit<
    Row,
    | 'snapshot'
    | 'state'
    | 'problems'
    | 'source'
    | 'pinned'
    | 'seenAt'
    | 'id'
    | 'withdrawn'
    | 'siteLabel'
  > {
  readonly state: 'kept' | 'refused' | 'ignored'
  /** Why it is refused, or what to mend. */
  readonly problems: readonly string[]
  readonly source: Readonly<Record<string, unknown>> | null
  readonly pinned: boolean
  /** Whether visitors of its address get it, as long as its account is active: not refused, not expired. */
  readonly hasContent: boolean
}

/** The site's version records, newest first: those with smaller keys than `before`. */
export async function listVersionRecords(
  db: Db,
  { did, name }: SiteAddress,
  { before, limit }: { readonly before?: string | undefined; readonly limit: number },
): Promise<VersionRecord[]> {
  let rows = selectVersionRecords(db).where('did', '=', did).where('site', '=', name)
  if (before !== undefined) rows = rows.where('key', '<', before as VersionKey)
  return (await rows.orderBy('key', 'desc').limit(limit).execute()).map(versionRecordOf)
}

/** Keys of the site's previews with this alias, newest first: one for each deploy. */
export async function listPreviewKeys(
  db: Db,
  { did, name }: SiteAddress,
  alias: string,
): Promise<VersionKey[]> {
  const rows = await selectVersionRecords(db)
    .where('did', '=', did)
    .where('site', '=', name)
    .where('alias', '=', alias)
    // It has been live, and is no preview any more.
    .where('manifest', 'is', null)
    .orderBy('key', 'desc')
    .execute()
  return rows.map(({ key }) => key)
}

/** Of the site's version records that name this manifest, the newest; null: none does. */
export async function findLiveVersionKey(
  db: Db,
  { did, name }: SiteAddress,
  manifest: string,
): Promise<VersionKey | null> {
  const rows = await selectVersionRecords(db)
    .where('did', '=', did)
    .where('site', '=', name)
    .where('manifest', '=', manifest)
    .orderBy('key', 'desc')
    .limit(versionRecordsMax)
    .execute()
  return rows.map(versionRecordOf).find((record) => record.manifest === manifest)?.key ?? null
}

export async function findVersionRecord(
  db: Db,
  { did, key }: VersionRecordKey,
): Promise<VersionRecord | null> {
  const one = selectVersionRecords(db).where('did', '=', did).where('key', '=', key)
  const row = await one.executeTakeFirst()
  return row === undefined ? null : versionRecordOf(row)
}

/** The snapshot of a version record; null: there is no such record, or it is refused or expired. */
export async function findVersionSnapshot(
  db: Db,
  { did, key }: VersionRecordKey,
): Promise<string | null> {
  const row = await db
    .selectFrom('versionRecords')
    .select('snapshot')
    .where('did', '=', did)
    .where('key', '=', key)
    .executeTakeFirst()
  return row?.snapshot ?? null
}

/** Whether its site has `versionRecordsMax` version records with larger keys. */
export async function hasManyNewer(
  db: Db,
  { did, key }: VersionRecordKey,
  site: SiteName,
): Promise<boolean> {
  const { count } = await db
    .selectFrom('versionRecords')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('did', '=', did)
    .where('site', '=', site)
    .where('key', '>', key)
    .executeTakeFirstOrThrow()
  return Number(count) >= versionRecordsMax
}

/**
 * The keys of the account's version records, each with the CID that was read; null: to be read again, because its site
 * no longer has too many newer ones.
 */
export async function knownVersionKeys(
  db: Db,
  did: Did,
): Promise<ReadonlyMap<VersionKey, string | null>> {
  const rows = await db
    .selectFrom('versionRecords')
    .select(['key', 'site', 'cid', 'state'])
    .where('did', '=', did)
    .where('state', '!=', 'removed')
    .orderBy('key', 'desc')
    .execute()
  const known = new Map<VersionKey, string | null>()
  for (const ofSite of Map.groupBy(rows, ({ site }) => site).values()) {
    for (const [nth, { key, cid, state }] of ofSite.entries()) {
      known.set(key, state === 'ignored' && nth < versionRecordsMax ? null : cid)
    }
  }
  return known
}

const recordColumns = [
  'did',
  'key',
  'site',
  'state',
  'cid',
  'rev',
  'label',
  'manifest',
  'alias',
  'message',
  'source',
  'pinned',
  'createdAt',
  'expiresAt',
  'fileCount',
  'bytes',
  'filesDigest',
  'problems',
] as const satisfies (keyof Row)[]

export const selectVersionRecords = (db: Db) =>
  db
    .selectFrom('versionRecords')
    .select(recordColumns)
    .select(({ eb, exists, selectFrom }) => [
      eb('snapshot', 'is not', null).as('hasContent'),
      exists(
        selectFrom('versions')
          .select('id')
          .whereRef('versions.did', '=', 'versionRecords.did')
          .whereRef('versions.name', '=', 'versionRecords.site')
          .whereRef('versions.recordCid', '=', 'versionRecords.manifest')
          // Null: not known.
          .whereRef('versions.filesDigest', '!=', 'versionRecords.filesDigest'),
      ).as('isOther'),
    ])
    .where('state', '!=', 'removed')
    .$narrowType<{ state: VersionRecord['state'] }>()

type RecordRow = Awaited<ReturnType<ReturnType<typeof selectVersionRecords>['execute']>>[number]

const otherFiles = 'The site’s record that this version names has other files.'

export function versionRecordOf({
  isOther,
  manifest,
  problems,
  source,
  pinned,
  hasContent,
  ...row
}: RecordRow): VersionRecord {
  return {
    ...row,
    manifest: isOther ? null : manifest,
    problems: [...(JSON.parse(problems) as string[]), ...(isOther ? [otherFiles] : [])],
    source: source === null ? null : (JSON.parse(source) as Record<string, unknown>),
    pinned: pinned === 1,
    hasContent: Boolean(hasContent),
  }
}
