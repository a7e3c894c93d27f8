import type { Selectable, Transaction } from 'kysely'
import { replacedVersionMs, versionsMax } from '#site/limits.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { lockIfKnown } from '#store/accounts/accounts.ts'
import { appendChange } from '#store/database/changes.ts'
import type { Db } from '#store/database/database.ts'
import { prepared } from '#store/database/prepared.ts'
import type { Schema } from '#store/database/schema.ts'
import { inSharedTransaction } from '#store/database/shared-transaction.ts'
import { lockUntilCommit } from '#store/database/transaction.ts'
import { deleteIfOverQuota } from './site-quota.ts'
import { withdrawReplaced } from './versions.ts'

/** A state of a site's record, as ingest judged it. */
export interface NewVersion {
  readonly site: SiteAddress
  readonly label: string
  readonly recordCid: string
  /** The revision of the repository it was read at. */
  readonly rev: string
  /** What the edge reads; null when the version is refused. */
  readonly snapshot: string | null
  /** What the owner shall see: why it is refused, or what to mend. */
  readonly problems: readonly string[]
  readonly fileCount: number
  readonly bytes: number
  readonly publishedAt: number
}

/** What `recordVersion` has done so far, none of it committed yet. */
export type RecordMoment = 'version-inserted' | 'pointer-swapped' | 'change-appended'

/**
 * `outdated`: something at least as new is live, or removed the site; nothing was stored.
 * `too-many`: nor was it, for it is a new site of an account that has `accountSitesMax`.
 * `not-known`: nor was it, for its account is not known, perhaps not any more: nobody would ever remove it.
 */
export type RecordOutcome =
  | 'went-live'
  | 'already-live'
  | 'refused'
  | 'outdated'
  | 'too-many'
  | 'not-known'

/**
 * Stores a version. A valid one that is newer than the live one takes its place in the same commit;
 * a refused one is kept for its problems and changes nothing for visitors. What is live already
 * (same record, same snapshot) only counts as seen, with the problems of now. Of the site's versions 10 stay, and their
 * snapshots for 24 hours after they were replaced, or until a version goes live that withdraws them
 * (`awaitWithdrawal`).
 */
export function recordVersion(
  db: Db,
  version: NewVersion,
  now: number,
  at: (moment: RecordMoment) => void = () => {},
): Promise<RecordOutcome> {
  return inSharedTransaction(db, async (transaction) => {
    if (!(await lockIfKnown(transaction, version.site.did))) return 'not-known'
    await lockUntilCommit(transaction, siteSubject(version.site))
    const site = await rowOf(transaction, version, now)
    const withdraws = site.withdrawWith === version.recordCid
    const { rows: versions } = await selectVersions(transaction, version.site)
    if (versions.length === 0 && (await deleteIfOverQuota(transaction, version.site)))
      return 'too-many'
    const live = versions.find(({ state }) => state === 'live')
    if (live?.recordCid === version.recordCid && live.snapshot === version.snapshot) {
      await sawAgain(transaction, live, version, now)
      if (withdraws) await withdrawEarlier(transaction, version)
      if (withdraws) await appendChange(transaction, version.site, now)
      return 'already-live'
    }
    if (isOutdated(version.rev, site.removedRev, live?.rev)) return 'outdated'
    await dropRefused(transaction, versions, version.rev)
    if (version.snapshot === null) {
      await insertVersion(transaction, version, 'invalid', now)
      return 'refused'
    }
    await replaceLive(transaction, live, version, now, at)
    if (withdraws) await withdrawEarlier(transaction, version)
    await prune(transaction, versions, version.rev, now)
    await appendChange(transaction, version.site, now)
    at('change-appended')
    return 'went-live'
  })
}

/**
 * From when the version of this record is live, and at once if it is, visitors get no assets of those before
 * it. Takes effect when ingest looks at the site next; of a site that is not known there is nothing to withdraw.
 */
export async function awaitWithdrawal(
  db: Db,
  { did, name }: SiteAddress,
  recordCid: string,
): Promise<void> {
  await db
    .updateTable('sites')
    .set({ withdrawWith: recordCid })
    .where('did', '=', did)
    .where('name', '=', name)
    .execute()
}

async function withdrawEarlier(
  transaction: Transaction<Schema>,
  { site, recordCid }: NewVersion,
): Promise<void> {
  await withdrawReplaced(transaction, site)
  await transaction
    .updateTable('sites')
    .set({ withdrawWith: null })
    .where('did', '=', site.did)
    .where('name', '=', site.name)
    .where('withdrawWith', '=', recordCid)
    .execute()
}

/**
 * What a transaction about this site locks first. Writing the row alone is not enough: two that insert it
 * at once may meet at its label, for which PostgreSQL has no second `on conflict` besides the key's.
 */
export function siteSubject({ did, name }: SiteAddress): string {
  return `site ${did}/${name}`
}

/** The site's row, made when missing. */
async function rowOf(
  transaction: Transaction<Schema>,
  { site, label }: NewVersion,
  now: number,
): Promise<SiteRow> {
  const { rows } = await upsertSite(transaction, { ...site, label, now })
  return rows[0] as SiteRow
}

type SiteRow = Selectable<Schema['sites']>

const upsertSite = prepared<SiteAddress & { label: string; now: number }, SiteRow>(
  (db, { did, name, label, now }) =>
    db
      .insertInto('sites')
      .values({
        did,
        name,
        label,
        liveVersionId: null,
        removedRev: null,
        withdrawWith: null,
        createdAt: now,
        updatedAt: now,
      })
      .onConflict((conflict) => conflict.columns(['did', 'name']).doUpdateSet({ label }))
      .returningAll(),
)

interface StoredVersion
  extends Pick<
    Selectable<Schema['versions']>,
    'id' | 'recordCid' | 'rev' | 'state' | 'replacedAt'
  > {
  readonly snapshot: string | null
  readonly hasSnapshot: unknown
}

/** Newest first; of the snapshots only the live one. */
const selectVersions = prepared<SiteAddress, StoredVersion>((db, { did, name }) =>
  db
    .selectFrom('versions')
    .select(['id', 'recordCid', 'rev', 'state', 'replacedAt'])
    .select(({ eb, ref }) => [
      eb.case().when('state', '=', 'live').then(ref('snapshot')).end().as('snapshot'),
      eb('snapshot', 'is not', null).as('hasSnapshot'),
    ])
    .where('did', '=', did)
    .where('name', '=', name)
    .orderBy('rev', 'desc')
    .orderBy('id', 'desc'),
)

/**
 * Revisions sort as text (https://atproto.com/specs/tid). Equal to the live one is not outdated:
 * the repository did not move, but what we make of the record did.
 */
function isOutdated(rev: string, removedRev: string | null, liveRev = ''): boolean {
  return rev < liveRev || (removedRev !== null && rev <= removedRev)
}

/**
 * That the record still stands at a later revision makes what was read in between outdated. Its problems
 * may be others: a settings record that cannot be read is one, but leaves the snapshot as it is.
 */
async function sawAgain(
  transaction: Transaction<Schema>,
  live: { id: string; rev: string },
  { rev, problems }: NewVersion,
  now: number,
): Promise<void> {
  const news = rev >= live.rev ? { rev, problems: JSON.stringify(problems) } : {}
  await transaction
    .updateTable('versions')
    .set({ ...news, seenAt: now })
    .where('id', '=', live.id)
    .execute()
}

/** Refused versions that this one follows: nobody needs their problems any more. */
async function dropRefused(
  transaction: Transaction<Schema>,
  versions: readonly StoredVersion[],
  rev: string,
): Promise<void> {
  const refused = versions.filter((version) => isRefusedBefore(version, rev))
  await dropVersions(transaction, refused)
}

const isRefusedBefore = ({ state, rev }: StoredVersion, nextRev: string): boolean =>
  state === 'invalid' && rev <= nextRev

async function dropVersions(
  transaction: Transaction<Schema>,
  versions: readonly StoredVersion[],
): Promise<void> {
  if (versions.length === 0) return
  const ids = versions.map(({ id }) => id)
  await transaction.deleteFrom('versions').where('id', 'in', ids).execute()
}

async function replaceLive(
  transaction: Transaction<Schema>,
  live: StoredVersion | undefined,
  version: NewVersion,
  now: number,
  at: (moment: RecordMoment) => void,
): Promise<void> {
  const { did, name } = version.site
  if (live !== undefined) {
    await setReplaced(transaction, { id: live.id, now })
  }
  const id = await insertVersion(transaction, version, 'live', now)
  at('version-inserted')
  await setLive(transaction, { did, name, id, now })
  at('pointer-swapped')
}

const setReplaced = prepared<{ id: string; now: number }, unknown>((db, { id, now }) =>
  db.updateTable('versions').set({ state: 'replaced', replacedAt: now }).where('id', '=', id),
)

const setLive = prepared<SiteAddress & { id: string; now: number }, unknown>(
  (db, { did, name, id, now }) =>
    db
      .updateTable('sites')
      .set({ liveVersionId: id, updatedAt: now })
      .where('did', '=', did)
      .where('name', '=', name),
)

async function insertVersion(
  transaction: Transaction<Schema>,
  { site, label: _, problems, ...facts }: NewVersion,
  state: 'live' | 'invalid',
  now: number,
): Promise<string> {
  const id = Bun.randomUUIDv7()
  const row = { ...facts, ...site, id, state, problems: JSON.stringify(problems) }
  await insertRow(transaction, { ...row, seenAt: now, replacedAt: null })
  return id
}

const insertRow = prepared<Selectable<Schema['versions']>, unknown>((db, row) => {
  const { id, did, name, recordCid, rev, state, snapshot, problems, fileCount, bytes } = row
  const { publishedAt, seenAt, replacedAt } = row
  return db.insertInto('versions').values({
    id,
    did,
    name,
    recordCid,
    rev,
    state,
    snapshot,
    problems,
    fileCount,
    bytes,
    publishedAt,
    seenAt,
    replacedAt,
  })
})

/** Of those that were there before the one of this revision went live. */
async function prune(
  transaction: Transaction<Schema>,
  versions: readonly StoredVersion[],
  rev: string,
  now: number,
): Promise<void> {
  const left = versions.filter((version) => !isRefusedBefore(version, rev))
  await dropVersions(transaction, left.slice(versionsMax - 1))
  const outdated = left.filter(
    ({ hasSnapshot, replacedAt }) =>
      hasSnapshot && replacedAt !== null && replacedAt < now - replacedVersionMs,
  )
  if (outdated.length === 0) return
  await transaction
    .updateTable('versions')
    .set({ snapshot: null })
    .where(
      'id',
      'in',
      outdated.map(({ id }) => id),
    )
    .execute()
}
