import type { NotNull, Selectable } from 'kysely'
import type { SiteAddress } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import { pagesOf } from '#store/database/pages.ts'
import type { Schema } from '#store/database/schema.ts'

/** One state of a site's record, as ingest judged it. Its snapshot is read separately: it can be large. */
export interface Version extends Omit<Selectable<Schema['versions']>, HiddenColumn> {
  /** Why it was refused, or what to mend. */
  readonly problems: readonly string[]
}

type HiddenColumn = 'did' | 'name' | 'snapshot' | 'problems'

/** The snapshot of a live version, or of one that was replaced recently. */
export interface KeptSnapshot extends SiteAddress {
  readonly versionId: string
  readonly replacedAt: number | null
  readonly bytes: number
  readonly snapshot: string
}

/** Newest first: by `rev`, the repository's own order. */
export async function listVersions(db: Db, { did, name }: SiteAddress): Promise<Version[]> {
  const rows = await db
    .selectFrom('versions')
    .select(versionColumns)
    .where('did', '=', did)
    .where('name', '=', name)
    .orderBy('rev', 'desc')
    .orderBy('id', 'desc')
    .execute()
  return rows.map(versionOf)
}

/** The snapshot of the live version, even if its account is not active; null: there is none. */
export async function findLiveSnapshot(db: Db, { did, name }: SiteAddress): Promise<string | null> {
  const row = await db
    .selectFrom('versions')
    .select('snapshot')
    .where('did', '=', did)
    .where('name', '=', name)
    .where('state', '=', 'live')
    .executeTakeFirst()
  return row?.snapshot ?? null
}

/** The site's snapshots that were replaced after `since` and not withdrawn, newest first. */
export async function listReplacedSnapshots(
  db: Db,
  { did, name }: SiteAddress,
  since: number,
): Promise<KeptSnapshot[]> {
  return await snapshots(db)
    .where('did', '=', did)
    .where('name', '=', name)
    .where('replacedAt', '>', since)
    .orderBy('rev', 'desc')
    .orderBy('id', 'desc')
    .execute()
}

interface SnapshotQuery {
  /** Only snapshots of versions with larger ids. */
  readonly after?: string
  /** Only snapshots of this site. */
  readonly site?: SiteAddress
  readonly limit?: number
}

/** Every snapshot, which may name blobs, in the order of version ids, page by page. */
export function snapshotPages(
  db: Db,
  { after = '', site, limit = snapshotsAtOnce }: SnapshotQuery = {},
): AsyncGenerator<KeptSnapshot[]> {
  const some =
    site === undefined
      ? snapshots(db)
      : snapshots(db).where('did', '=', site.did).where('name', '=', site.name)
  const list = (from: string): Promise<KeptSnapshot[]> =>
    some.where('id', '>', from).orderBy('id').limit(limit).execute()
  return pagesOf(list, ({ versionId }) => versionId, after)
}

/** Each may take `snapshotBytesMax`. */
const snapshotsAtOnce = 10

/**
 * Drops the snapshots of the site's replaced versions: visitors get only the live version's assets once the caller has
 * appended a change.
 */
export async function withdrawReplaced(db: Db, { did, name }: SiteAddress): Promise<void> {
  await db
    .updateTable('versions')
    .set({ snapshot: null })
    .where('did', '=', did)
    .where('name', '=', name)
    .where('state', '=', 'replaced')
    .execute()
}

/** Drops all sites' snapshots that were replaced before `replacedBefore`. The versions stay as history. */
export async function dropReplacedSnapshots(db: Db, replacedBefore: number): Promise<void> {
  await db
    .updateTable('versions')
    .set({ snapshot: null })
    .where('replacedAt', '<', replacedBefore)
    .where('snapshot', 'is not', null)
    .execute()
}

export const versionColumns = [
  'id',
  'recordCid',
  'rev',
  'state',
  'problems',
  'fileCount',
  'bytes',
  'publishedAt',
  'seenAt',
  'replacedAt',
] as const satisfies (keyof Schema['versions'])[]

type VersionRow = Pick<Selectable<Schema['versions']>, (typeof versionColumns)[number]>

export function versionOf(row: VersionRow): Version {
  return { ...row, problems: JSON.parse(row.problems) as string[] }
}

function snapshots(db: Db) {
  return db
    .selectFrom('versions')
    .select(['did', 'name', 'id as versionId', 'replacedAt', 'bytes', 'snapshot'])
    .where('snapshot', 'is not', null)
    .$narrowType<{ snapshot: NotNull }>()
}
