import { type NotNull, sql } from 'kysely'
import type { SiteAddress } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import type { VersionKey } from '#site/version-key.ts'
import type { Db } from '#store/database/database.ts'
import { pagesOf } from '#store/database/pages.ts'

/** The snapshot of a version: live, replaced recently, or kept by its owner as a record. */
export interface KeptSnapshot extends SiteAddress {
  readonly id: string
  /** Of the version record; null: a state of the site's own record. */
  readonly key: VersionKey | null
  readonly replacedAt: number | null
  readonly snapshot: string
}

interface SnapshotQuery {
  /** Only snapshots with larger ids, which were stored later. */
  readonly after?: string
  /** Only snapshots of this site. */
  readonly site?: SiteAddress
  readonly limit?: number
}

/** Every snapshot, which may name blobs, in the order of their ids, page by page. */
export function snapshotPages(
  db: Db,
  { after = '', site, limit = snapshotsAtOnce }: SnapshotQuery = {},
): AsyncGenerator<KeptSnapshot[]> {
  const list = (from: string): Promise<KeptSnapshot[]> =>
    ofStates(db, site)
      .where('id', '>', from)
      .unionAll(ofRecords(db, site).where('id', '>', from))
      .orderBy('id')
      .limit(limit)
      .execute()
  return pagesOf(list, ({ id }) => id, after)
}

/** Each may take `snapshotBytesMax`. */
const snapshotsAtOnce = 10

function ofStates(db: Db, site: SiteAddress | undefined) {
  const states = db
    .selectFrom('versions')
    .select(['id', 'did', 'name', sql<VersionKey | null>`null`.as('key'), 'replacedAt', 'snapshot'])
    .where('snapshot', 'is not', null)
    .$narrowType<{ snapshot: NotNull }>()
  if (site === undefined) return states
  return states.where('did', '=', site.did).where('name', '=', site.name)
}

function ofRecords(db: Db, site: SiteAddress | undefined) {
  const records = db
    .selectFrom('versionRecords')
    .select(['id', 'did', 'site as name'])
    .select(({ ref }) => ref('key').$castTo<VersionKey | null>().as('key'))
    .select([sql<number | null>`null`.as('replacedAt'), 'snapshot'])
    .where('snapshot', 'is not', null)
    .$narrowType<{ name: SiteName; snapshot: NotNull }>()
  if (site === undefined) return records
  return records.where('did', '=', site.did).where('site', '=', site.name)
}
