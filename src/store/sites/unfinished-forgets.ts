import type { Selectable } from 'kysely'
import type { SiteAddress } from '#site/site-address.ts'
import { parseVersionKey, type VersionKey } from '#site/version-key.ts'
import { hashesNamedIn } from '#site/visit/named-hashes.ts'
import type { Db } from '#store/database/database.ts'
import type { Schema } from '#store/database/schema.ts'
import { inTransaction, lockUntilCommit } from '#store/database/transaction.ts'
import { findStateSnapshots } from './forget-states.ts'
import { siteSubject } from './record-version.ts'
import { findVersionRecord, findVersionSnapshot } from './version-records/version-records.ts'

/** Of one account, the newest; the bytes of older ones become garbage. */
export const unfinishedForgetsMax = 50

/** A version that its owner forgets: a record, or a state of the site's record that no version record describes. */
export type ForgottenId = { readonly key: VersionKey } | { readonly stateId: string }

/** What is to be removed of it, also when its rows are gone. */
export interface UnfinishedForget {
  readonly site: SiteAddress
  readonly id: ForgottenId
  /** CID of the equal manifest record; null: it was never live. */
  readonly manifest: string | null
  /** Of the blobs that its snapshots named. */
  readonly hashes: readonly string[]
  readonly begunAt: number
}

/**
 * Remembers what is to be removed of a version, until `finishForget`: what its rows say now, and what was remembered
 * before. Call it before the version's record is deleted.
 */
export function beginForget(
  db: Db,
  site: SiteAddress,
  id: ForgottenId,
  now: number,
): Promise<UnfinishedForget> {
  return inTransaction(db, async (transaction) => {
    await lockUntilCommit(transaction, siteSubject(site))
    const before = await findUnfinishedForget(transaction, site, id)
    const found = await contentOf(transaction, site, id)
    const manifest = found.manifest ?? before?.manifest ?? null
    const named = found.snapshots.flatMap((snapshot) => [...hashesNamedIn(snapshot)])
    const hashes = [...new Set([...(before?.hashes ?? []), ...named])]
    const news = { manifest, hashes: JSON.stringify(hashes), begunAt: now }
    await transaction
      .insertInto('unfinishedForgets')
      .values({ did: site.did, site: site.name, version: versionOf(id), ...news })
      .onConflict((conflict) => conflict.columns(['did', 'site', 'version']).doUpdateSet(news))
      .execute()
    await dropOldest(transaction, site)
    return { site, id, manifest, hashes, begunAt: now }
  })
}

export async function findUnfinishedForget(
  db: Db,
  { did, name }: SiteAddress,
  id: ForgottenId,
): Promise<UnfinishedForget | null> {
  const row = await db
    .selectFrom('unfinishedForgets')
    .selectAll()
    .where('did', '=', did)
    .where('site', '=', name)
    .where('version', '=', versionOf(id))
    .executeTakeFirst()
  return row === undefined ? null : forgetOf(row)
}

/** Those that were begun before that time and whose record is not stored here any more, oldest first. */
export async function listUnfinishedForgets(
  db: Db,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<UnfinishedForget[]> {
  const rows = await db
    .selectFrom('unfinishedForgets')
    .selectAll()
    .where('begunAt', '<', before)
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('versionRecords')
            .select('key')
            .whereRef('versionRecords.did', '=', 'unfinishedForgets.did')
            .whereRef('versionRecords.key', '=', 'unfinishedForgets.version' as never)
            .where('state', '!=', 'removed'),
        ),
      ),
    )
    .orderBy('begunAt')
    .limit(limit)
    .execute()
  return rows.map(forgetOf)
}

/** For versions that were not deleted after all. */
export async function dropUnfinishedForgets(db: Db, before: number): Promise<void> {
  await db.deleteFrom('unfinishedForgets').where('begunAt', '<', before).execute()
}

/** Nothing is left to remove of the version, or it stays. */
export async function finishForget(
  db: Db,
  { did, name }: SiteAddress,
  id: ForgottenId,
): Promise<void> {
  await db
    .deleteFrom('unfinishedForgets')
    .where('did', '=', did)
    .where('site', '=', name)
    .where('version', '=', versionOf(id))
    .execute()
}

async function contentOf(db: Db, site: SiteAddress, id: ForgottenId) {
  if ('stateId' in id) {
    return { manifest: null, snapshots: await findStateSnapshots(db, site, { id: id.stateId }) }
  }
  const record = { did: site.did, key: id.key }
  const manifest = (await findVersionRecord(db, record))?.manifest ?? null
  const snapshot = await findVersionSnapshot(db, record)
  const states =
    manifest === null ? [] : await findStateSnapshots(db, site, { recordCid: manifest })
  return { manifest, snapshots: snapshot === null ? states : [snapshot, ...states] }
}

async function dropOldest(db: Db, { did }: SiteAddress): Promise<void> {
  const oldest = await db
    .selectFrom('unfinishedForgets')
    .select(['site', 'version'])
    .where('did', '=', did)
    .orderBy('begunAt', 'desc')
    .orderBy('version')
    .offset(unfinishedForgetsMax)
    .limit(unfinishedForgetsMax)
    .execute()
  for (const { site: name, version } of oldest) await finishForget(db, { did, name }, idOf(version))
}

const versionOf = (id: ForgottenId): string => ('key' in id ? id.key : id.stateId)

/** The id of a state is a UUID, which no key is. */
function idOf(version: string): ForgottenId {
  const key = parseVersionKey(version)
  return key === null ? { stateId: version } : { key }
}

const forgetOf = (row: Selectable<Schema['unfinishedForgets']>): UnfinishedForget => ({
  site: { did: row.did, name: row.site },
  id: idOf(row.version),
  manifest: row.manifest,
  hashes: JSON.parse(row.hashes) as string[],
  begunAt: row.begunAt,
})
