import type { Transaction } from 'kysely'
import { replacedVersionMs, versionsMax } from '#site/limits.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { appendChange } from './changes.ts'
import type { Db } from './database.ts'
import type { Schema } from './schema.ts'
import { inTransaction, lockUntilCommit } from './transaction.ts'

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

/** `outdated`: something at least as new is live, or removed the site; nothing was stored. */
export type RecordOutcome = 'went-live' | 'already-live' | 'refused' | 'outdated'

/**
 * Stores a version. A valid one that is newer than the live one takes its place in the same commit;
 * a refused one is kept for its problems and changes nothing for visitors. What is live already
 * (same record, same snapshot) only counts as seen, with the problems of now. Of the site's versions 10 stay, and their
 * snapshots for 24 hours after they were replaced.
 */
export function recordVersion(db: Db, version: NewVersion, now: number): Promise<RecordOutcome> {
  return inTransaction(db, async (transaction) => {
    await lockUntilCommit(transaction, siteSubject(version.site))
    const site = await rowOf(transaction, version, now)
    const live = await liveVersion(transaction, version.site)
    if (live?.recordCid === version.recordCid && live.snapshot === version.snapshot) {
      await sawAgain(transaction, live, version, now)
      return 'already-live'
    }
    if (isOutdated(version.rev, site.removedRev, live?.rev)) return 'outdated'
    await dropRefused(transaction, version)
    if (version.snapshot === null) {
      await insertVersion(transaction, version, 'invalid', now)
      return 'refused'
    }
    await replaceLive(transaction, version, now)
    await prune(transaction, version.site, now)
    await appendChange(transaction, version.site, now)
    return 'went-live'
  })
}

/**
 * What a transaction about this site locks first. Writing the row alone is not enough: two that insert it
 * at once may meet at its label, for which PostgreSQL has no `on conflict` beside that for the key.
 */
export function siteSubject({ did, name }: SiteAddress): string {
  return `site ${did}/${name}`
}

/** The site's row, made when missing. */
function rowOf(transaction: Transaction<Schema>, { site, label }: NewVersion, now: number) {
  return transaction
    .insertInto('sites')
    .values({
      ...keyOf(site),
      label,
      liveVersionId: null,
      removedRev: null,
      createdAt: now,
      updatedAt: now,
    })
    .onConflict((conflict) => conflict.columns(['did', 'name']).doUpdateSet({ label }))
    .returningAll()
    .executeTakeFirstOrThrow()
}

function liveVersion(transaction: Transaction<Schema>, { did, name }: SiteAddress) {
  return transaction
    .selectFrom('versions')
    .select(['id', 'recordCid', 'rev', 'snapshot'])
    .where('did', '=', did)
    .where('name', '=', name)
    .where('state', '=', 'live')
    .executeTakeFirst()
}

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
  { site, rev }: NewVersion,
): Promise<void> {
  await transaction
    .deleteFrom('versions')
    .where('did', '=', site.did)
    .where('name', '=', site.name)
    .where('state', '=', 'invalid')
    .where('rev', '<=', rev)
    .execute()
}

async function replaceLive(
  transaction: Transaction<Schema>,
  version: NewVersion,
  now: number,
): Promise<void> {
  const { did, name } = version.site
  await transaction
    .updateTable('versions')
    .set({ state: 'replaced', replacedAt: now })
    .where('did', '=', did)
    .where('name', '=', name)
    .where('state', '=', 'live')
    .execute()
  const id = await insertVersion(transaction, version, 'live', now)
  await transaction
    .updateTable('sites')
    .set({ liveVersionId: id, updatedAt: now })
    .where('did', '=', did)
    .where('name', '=', name)
    .execute()
}

async function insertVersion(
  transaction: Transaction<Schema>,
  { site, label: _, problems, ...facts }: NewVersion,
  state: 'live' | 'invalid',
  now: number,
): Promise<string> {
  const id = Bun.randomUUIDv7()
  const row = { ...facts, ...keyOf(site), id, state, problems: JSON.stringify(problems) }
  await transaction
    .insertInto('versions')
    .values({ ...row, seenAt: now, replacedAt: null })
    .execute()
  return id
}

async function prune(
  transaction: Transaction<Schema>,
  { did, name }: SiteAddress,
  now: number,
): Promise<void> {
  const ofSite = transaction
    .selectFrom('versions')
    .select('id')
    .where('did', '=', did)
    .where('name', '=', name)
  const others = ofSite.where('state', '!=', 'live').orderBy('rev', 'desc').orderBy('id', 'desc')
  const surplus = (await others.execute()).slice(versionsMax - 1).map(({ id }) => id)
  if (surplus.length > 0) {
    await transaction.deleteFrom('versions').where('id', 'in', surplus).execute()
  }
  await transaction
    .updateTable('versions')
    .set({ snapshot: null })
    .where('id', 'in', ofSite.where('replacedAt', '<', now - replacedVersionMs))
    .execute()
}

function keyOf({ did, name }: SiteAddress): SiteAddress {
  return { did, name }
}
