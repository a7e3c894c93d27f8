import type { Selectable } from 'kysely'
import type { SiteAddress } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import { pagesOf } from '#store/database/pages.ts'
import type { Schema } from '#store/database/schema.ts'

/** One state of a site's record that we judged. Its snapshot is read apart: it can be large. */
export interface Version extends Omit<Selectable<Schema['versions']>, HiddenColumn> {
  /** Why it was refused, or what to mend although it is live. */
  readonly problems: readonly string[]
}

type HiddenColumn = 'did' | 'name' | 'snapshot' | 'problems'

/**
 * A snapshot that visitors may need: of a live version, or of one that was replaced not long ago.
 */
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

/** The snapshot of the live version, whether its account is active or not; null without one. */
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

/**
 * The site's snapshots that were replaced after `since` and not withdrawn, newest first. The live
 * one is not among them.
 */
export async function listReplacedSnapshots(
  db: Db,
  { did, name }: SiteAddress,
  since: number,
): Promise<KeptSnapshot[]> {
  const rows = await snapshots(db)
    .where('did', '=', did)
    .where('name', '=', name)
    .where('replacedAt', '>', since)
    .orderBy('rev', 'desc')
    .orderBy('id', 'desc')
    .execute()
  return rows.map(keptSnapshotOf)
}

/**
 * Every snapshot there is, in the order of version ids, page by page: what may still name a
 * blob.
 */
export function snapshotPages(
  db: Db,
  { after = '', limit = snapshotsAtOnce }: { after?: string; limit?: number } = {},
): AsyncGenerator<KeptSnapshot[]> {
  const list = async (from: string): Promise<KeptSnapshot[]> => {
    const rows = await snapshots(db).where('id', '>', from).orderBy('id').limit(limit).execute()
    return rows.map(keptSnapshotOf)
  }
  return pagesOf(list, ({ versionId }) => versionId, after)
}

/** Each may have `snapshotBytesMax`. */
const snapshotsAtOnce = 10

/**
 * Drops the snapshots of the site's replaced versions: from now on visitors get assets of the live
 * one only. The caller tells them, by a change.
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

/**
 * Drops the snapshots, of all sites, that were replaced before `replacedBefore`. The versions stay
 * as history.
 */
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

export function versionOf(
  row: Pick<Selectable<Schema['versions']>, (typeof versionColumns)[number]>,
): Version {
  const { id, recordCid, rev, state, fileCount, bytes, publishedAt, seenAt, replacedAt } = row
  const problems = JSON.parse(row.problems) as string[]
  return { id, recordCid, rev, state, problems, fileCount, bytes, publishedAt, seenAt, replacedAt }
}

function snapshots(db: Db) {
  return db
    .selectFrom('versions')
    .select(['did', 'name', 'id as versionId', 'replacedAt', 'bytes', 'snapshot'])
    .where('snapshot', 'is not', null)
}

type SnapshotRow = Awaited<ReturnType<ReturnType<typeof snapshots>['execute']>>[number]

function keptSnapshotOf({ snapshot, ...row }: SnapshotRow): KeptSnapshot {
  return { ...row, snapshot: snapshot ?? '' }
}
