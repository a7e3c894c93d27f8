import { type NotNull, sql } from 'kysely'
import { yieldEventLoop } from '#concurrency/yield-event-loop.ts'
import type { Did, SiteAddress } from '#site/site-address.ts'
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
  /** Only snapshots of this account. */
  readonly did?: Did
  /** Only snapshots of this site. */
  readonly site?: SiteAddress
  readonly limit?: number
}

/** Every snapshot, which may name blobs, in the order of their ids, page by page. */
export function snapshotPages(
  db: Db,
  { after = '', site, did = site?.did, limit = snapshotsAtOnce }: SnapshotQuery = {},
): AsyncGenerator<KeptSnapshot[]> {
  const owner = { did, name: site?.name }
  // Each with its own limit, by its index on ids: of both together, PostgreSQL reads and sorts all for every page.
  const list = (from: string): Promise<KeptSnapshot[]> => {
    const states = ofStates(db, owner).where('id', '>', from).orderBy('id').limit(limit)
    const records = ofRecords(db, owner).where('id', '>', from).orderBy('id').limit(limit)
    return db
      .selectFrom(states.as('states'))
      .selectAll()
      .unionAll(db.selectFrom(records.as('records')).selectAll())
      .orderBy('id')
      .limit(limit)
      .execute()
  }
  return pagesOf(list, ({ id }) => id, after)
}

/** Each may take `snapshotBytesMax`. */
const snapshotsAtOnce = 10

/**
 * The account's snapshots, one at a time: of live versions, that of the site `first` before others, then of others, the
 * newest first. Yields to the event loop between two of them.
 */
export async function* snapshotsOf(db: Db, did: Did, first?: SiteName): AsyncGenerator<string> {
  const states = await ofStates(db, { did, name: undefined })
    .clearSelect()
    .select(['id', 'name', 'state'])
    .execute()
  const records = await ofRecords(db, { did, name: undefined }).clearSelect().select('id').execute()
  const live = states.filter(({ state }) => state === 'live')
  const isLive = new Set(
    live.sort((a, b) => Number(b.name === first) - Number(a.name === first)).map(({ id }) => id),
  )
  const newest = [...states, ...records].map(({ id }) => id).sort((a, b) => (a < b ? 1 : -1))
  for (const id of [...isLive, ...newest.filter((other) => !isLive.has(other))]) {
    for (const table of ['versions', 'versionRecords'] as const) {
      const row = db.selectFrom(table).select('snapshot').where('id', '=', id)
      const snapshot = (await row.where('snapshot', 'is not', null).executeTakeFirst())?.snapshot
      if (snapshot) yield snapshot
    }
    await yieldEventLoop()
  }
}

/** Undefined: of any. */
interface Owner {
  readonly did: Did | undefined
  readonly name: SiteName | undefined
}

function ofStates(db: Db, { did, name }: Owner) {
  return db
    .selectFrom('versions')
    .select(['id', 'did', 'name', sql<VersionKey | null>`null`.as('key'), 'replacedAt', 'snapshot'])
    .where('snapshot', 'is not', null)
    .$narrowType<{ snapshot: NotNull }>()
    .$if(did !== undefined, (rows) => rows.where('did', '=', did as Did))
    .$if(name !== undefined, (rows) => rows.where('name', '=', name as SiteName))
}

function ofRecords(db: Db, { did, name }: Owner) {
  return db
    .selectFrom('versionRecords')
    .select(['id', 'did', 'site as name'])
    .select(({ ref }) => ref('key').$castTo<VersionKey | null>().as('key'))
    .select([sql<number | null>`cast(null as bigint)`.as('replacedAt'), 'snapshot'])
    .where('snapshot', 'is not', null)
    .$narrowType<{ name: SiteName; snapshot: NotNull }>()
    .$if(did !== undefined, (rows) => rows.where('did', '=', did as Did))
    .$if(name !== undefined, (rows) => rows.where('site', '=', name as SiteName))
}
