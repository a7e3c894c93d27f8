import type { NotNull } from 'kysely'
import { replacedVersionMs, versionsMax } from '#site/limits.ts'
import type { SiteAddress } from '#site/site-address.ts'
import type { VersionKey } from '#site/version-key.ts'
import type { Db } from '#store/database/database.ts'
import { planned } from '#store/database/prepared.ts'
import { findVersionSnapshot } from './version-records/version-records.ts'

/** A version that another one has replaced, and whose assets visitors still get. */
export interface EarlierVersion {
  /** Of its row. */
  readonly id: string
  readonly snapshot: string
  /** Until when, in milliseconds since the epoch; infinite: as long as its owner keeps it. */
  readonly until: number
}

/**
 * The site's earlier versions, newest first, at most `versionsMax`, without withdrawn ones: those that its owner keeps as
 * records, and for `replacedVersionMs` states that no record describes. Reads one snapshot at a time.
 */
export async function* earlierVersions(
  db: Db,
  site: SiteAddress & { readonly recordCid: string },
  now: number,
): AsyncGenerator<EarlierVersion> {
  const { did, name, recordCid } = site
  // Together: a visitor waits, and most sites have neither.
  const [{ rows: records }, { rows: states }] = await Promise.all([
    listRecords(db, { did, name, recordCid }),
    listStates(db, { did, name, since: now - replacedVersionMs }),
  ])
  const described = new Set(records.map(({ manifest }) => manifest))
  const heads = [
    ...records.map(({ key }) => ({
      ...{ id: key, tid: String(key), until: Number.POSITIVE_INFINITY },
      read: () => findVersionSnapshot(db, { did: site.did, key }),
    })),
    ...states
      .filter(({ recordCid }) => recordCid !== site.recordCid && !described.has(recordCid))
      .map(({ id, rev, replacedAt }) => ({
        ...{ id, tid: rev, until: replacedAt + replacedVersionMs },
        read: () => findStateSnapshot(db, id),
      })),
  ]
  const newestFirst = heads.sort((a, b) => (a.tid < b.tid ? 1 : -1))
  for (const { id, read, until } of newestFirst.slice(0, versionsMax)) {
    const snapshot = await read()
    // Null: it was forgotten meanwhile.
    if (snapshot !== null) yield { id, snapshot, until }
  }
}

const listRecords = planned<
  SiteAddress & { recordCid: string },
  { key: VersionKey; manifest: string | null }
>((db, { did, name, recordCid }) =>
  db
    .selectFrom('versionRecords')
    .select(['key', 'manifest'])
    .where('did', '=', did)
    .where('site', '=', name)
    .where('state', '=', 'kept')
    .where('snapshot', 'is not', null)
    .where('withdrawn', '=', 0)
    // Previews were never live.
    .where('manifest', 'is not', null)
    .where('manifest', '!=', recordCid)
    .orderBy('key', 'desc')
    .limit(versionsMax),
)

const listStates = planned<
  SiteAddress & { since: number },
  { id: string; rev: string; recordCid: string; replacedAt: number }
>((db, { did, name, since }) =>
  db
    .selectFrom('versions')
    .select(['id', 'rev', 'recordCid', 'replacedAt'])
    .where('did', '=', did)
    .where('name', '=', name)
    .where('snapshot', 'is not', null)
    .where('replacedAt', '>', since)
    .$narrowType<{ replacedAt: NotNull }>()
    .orderBy('rev', 'desc')
    .orderBy('id', 'desc'),
)

async function findStateSnapshot(db: Db, id: string): Promise<string | null> {
  const row = db.selectFrom('versions').select('snapshot').where('id', '=', id)
  return (await row.executeTakeFirst())?.snapshot ?? null
}
