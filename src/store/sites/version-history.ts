import type { SiteAddress } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import { listVersionRecords, type VersionRecord } from './version-records/version-records.ts'
import { type Version, versionColumns, versionOf } from './versions.ts'

/** A version of a site: a record that its owner keeps, or a state of the site that no such record describes. */
export type HistoryEntry =
  | { readonly kind: 'record'; readonly record: VersionRecord }
  | { readonly kind: 'state'; readonly state: SiteState }

export interface SiteState extends Version {
  /** Whether its files are known here; refused ones have none, replaced ones for a day. */
  readonly hasContent: boolean
}

/** Where an entry is in its site's history: a TID, and the id in its table. */
export type HistoryPosition = readonly [tid: string, id: string]

/**
 * The site's versions, newest first: its version records by their keys, other states by the revisions at which they were
 * read. Both are TIDs. At most `limit` after this position.
 */
export async function listHistory(
  db: Db,
  site: SiteAddress,
  { after, limit }: { readonly after: HistoryPosition | null; readonly limit: number },
): Promise<HistoryEntry[]> {
  // A record may have the TID of a state that came before it: longer strings sort after it.
  const before = after === null ? undefined : `${after[0]}0`
  const records = await listVersionRecords(db, site, { before, limit: limit + 1 })
  const states = await listOtherStates(db, site)
  return [
    ...records.map((record): HistoryEntry => ({ kind: 'record', record })),
    ...states.map((state): HistoryEntry => ({ kind: 'state', state })),
  ]
    .filter((entry) => after === null || compare(positionOf(entry), after) < 0)
    .sort((a, b) => compare(positionOf(b), positionOf(a)))
    .slice(0, limit)
}

export const positionOf = (entry: HistoryEntry): HistoryPosition =>
  entry.kind === 'record' ? [entry.record.key, entry.record.key] : [entry.state.rev, entry.state.id]

function compare([a, aId]: HistoryPosition, [b, bId]: HistoryPosition): number {
  if (a === b) return aId < bId ? -1 : Number(aId > bId)
  return a < b ? -1 : 1
}

/** The states that no version record names as its manifest: at most `versionsMax`, and refused ones. */
async function listOtherStates(db: Db, { did, name }: SiteAddress): Promise<SiteState[]> {
  const rows = await db
    .selectFrom('versions')
    .select(versionColumns)
    .select(({ eb }) => eb('snapshot', 'is not', null).as('hasContent'))
    .where('did', '=', did)
    .where('name', '=', name)
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('versionRecords')
            .select('key')
            .where('versionRecords.did', '=', did)
            .where('versionRecords.site', '=', name)
            .where('versionRecords.state', '!=', 'removed')
            .whereRef('versionRecords.manifest', '=', 'versions.recordCid')
            .where(({ eb, or, ref }) =>
              or([
                eb('versions.filesDigest', 'is', null),
                eb('versionRecords.filesDigest', 'is', null),
                eb('versions.filesDigest', '=', ref('versionRecords.filesDigest')),
              ]),
            ),
        ),
      ),
    )
    .execute()
  return rows.map(({ hasContent, ...row }) => ({
    ...versionOf(row),
    hasContent: Boolean(hasContent),
  }))
}
