import type { Selectable } from 'kysely'
import type { SiteAddress } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import { prepared } from '#store/database/prepared.ts'
import type { Schema } from '#store/database/schema.ts'

/** One state of a site's record, as ingest judged it. Its snapshot is read separately: it can be large. */
export interface Version extends Omit<Selectable<Schema['versions']>, HiddenColumn> {
  /** Why it was refused, or what to mend. */
  readonly problems: readonly string[]
}

type HiddenColumn = 'did' | 'name' | 'snapshot' | 'problems' | 'filesDigest'

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

/** What the live version of a site consists of. */
export interface LiveContent {
  readonly recordCid: string
  /** Null: it was read before there were digests. */
  readonly filesDigest: string | null
}

/** Null: the site has no live version. */
export async function findLiveContent(
  db: Db,
  { did, name }: SiteAddress,
): Promise<LiveContent | null> {
  const { rows } = await selectLiveContent(db, { did, name })
  return rows[0] ?? null
}

const selectLiveContent = prepared<SiteAddress, LiveContent>((db, { did, name }) =>
  db
    .selectFrom('versions')
    .select(['recordCid', 'filesDigest'])
    .where('did', '=', did)
    .where('name', '=', name)
    .where('state', '=', 'live'),
)

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
