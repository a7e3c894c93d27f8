import type { Selectable, Transaction } from 'kysely'
import { replacedVersionMs, versionsMax } from '#site/limits.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { lockIfKnown } from '#store/accounts/accounts.ts'
import { appendBlobChanges, appendChange, appendNewVersion } from '#store/database/changes.ts'
import type { Db } from '#store/database/database.ts'
import { prepared } from '#store/database/prepared.ts'
import type { Schema } from '#store/database/schema.ts'
import { inSharedTransaction } from '#store/database/shared-transaction.ts'
import { lockUntilCommit } from '#store/database/transaction.ts'
import type { AccountLimits } from '#store/moderation/account-limits.ts'
import { appendWebhookEvent, sentProblems } from '#store/webhooks/append-event.ts'
import { deleteIfOverQuota } from './account-quota.ts'
import { withdrawEarlier } from './withdrawals.ts'

/** A version that is not stored yet. */
export interface NewVersion {
  readonly site: SiteAddress
  readonly label: string
  readonly recordCid: string
  /** The revision of the repository at which it was read. */
  readonly rev: string
  /** What the edge reads; null when the version is refused. */
  readonly snapshot: string | null
  /** For the owner: why it is refused, or what to mend. */
  readonly problems: readonly string[]
  readonly fileCount: number
  readonly bytes: number
  readonly publishedAt: number
  /** Of its files, as `versionDigest` makes it; null: it is refused. */
  readonly filesDigest: string | null
}

/** What `recordVersion` has just done and not yet committed. */
export type RecordMoment = 'version-inserted' | 'pointer-swapped' | 'change-appended'

/**
 * The last three store nothing. `outdated`: a newer version is live, or the site was removed since. `too-many`: it is a
 * new site of an account that has as many as it may. `not-known`: its account is unknown, and nothing would ever remove it.
 */
export type RecordOutcome =
  | 'went-live'
  | 'already-live'
  | 'refused'
  | 'outdated'
  | 'too-many'
  | 'not-known'

/**
 * Stores a version. A valid one replaces an older live one in the same commit; a refused one is kept for its problems and
 * changes nothing for visitors. The version that is live already (same record, same snapshot) only gets the new time and
 * problems. The site keeps `versionsMax` versions, and their snapshots for `replacedVersionMs` after they were replaced,
 * or until a version goes live that withdraws them (`awaitWithdrawal`).
 */
export function recordVersion(
  db: Db,
  version: NewVersion,
  now: number,
  at: (moment: RecordMoment) => void = () => {},
  limits: AccountLimits = {},
): Promise<RecordOutcome> {
  return inSharedTransaction(db, async (transaction) => {
    if (!(await lockIfKnown(transaction, version.site.did))) return 'not-known'
    await lockUntilCommit(transaction, siteSubject(version.site))
    const { did, name } = version.site
    const { rows } = await upsertSite(transaction, { did, name, label: version.label, now })
    const site = rows[0] as SiteRow
    const withdraws = site.withdrawWith === version.recordCid
    const { rows: versions } = await selectVersions(transaction, version.site)
    if (versions.length === 0 && (await deleteIfOverQuota(transaction, version.site, limits)))
      return 'too-many'
    const live = versions.find(({ state }) => state === 'live')
    if (live?.recordCid === version.recordCid && live.snapshot === version.snapshot) {
      await sawAgain(transaction, live, version, now)
      if (withdraws) await withdrawEarlier(transaction, version)
      if (withdraws) {
        await appendBlobChanges(transaction, version.site, [], now)
        await appendChange(transaction, version.site, now)
      }
      return 'already-live'
    }
    if (isOutdated(version.rev, site.removedRev, live?.rev)) return 'outdated'
    // Nobody needs the problems of refused versions that this one follows.
    const refused = versions.filter(({ state, rev }) => state === 'invalid' && rev <= version.rev)
    await deleteVersions(transaction, refused)
    if (version.snapshot === null) {
      await insertVersion(transaction, version, 'invalid', now)
      const isKnown = refused.some(({ recordCid }) => recordCid === version.recordCid)
      if (!isKnown) await appendVersionEvent(transaction, 'site.refused', version, now)
      return 'refused'
    }
    await replaceLive(transaction, live, version, now, at)
    if (withdraws) await withdrawEarlier(transaction, version)
    const others = versions.filter((each) => !refused.includes(each))
    await prune(transaction, others, now)
    await appendVersionEvent(transaction, 'site.published', version, now)
    if (withdraws) await appendBlobChanges(transaction, version.site, [], now)
    await (withdraws ? appendChange : appendNewVersion)(transaction, version.site, now)
    at('change-appended')
    return 'went-live'
  })
}

/**
 * What a transaction about this site locks first. Writing the row is not enough: concurrent inserts may conflict on the
 * label, and PostgreSQL takes only one `on conflict`, which is the key's.
 */
export function siteSubject({ did, name }: SiteAddress): string {
  return `site ${did}/${name}`
}

/** A site with neither a version nor a removal. */
export const blankSite = { liveVersionId: null, removedRev: null, withdrawWith: null } as const

type SiteRow = Selectable<Schema['sites']>

const upsertSite = prepared<SiteAddress & { label: string; now: number }, SiteRow>(
  (db, { did, name, label, now }) =>
    db
      .insertInto('sites')
      .values({ ...blankSite, did, name, label, createdAt: now, updatedAt: now })
      .onConflict((conflict) => conflict.columns(['did', 'name']).doUpdateSet({ label }))
      .returningAll(),
)

type VersionRow = Selectable<Schema['versions']>

interface StoredVersion
  extends Pick<VersionRow, 'id' | 'recordCid' | 'rev' | 'state' | 'replacedAt' | 'snapshot'> {
  readonly hasSnapshot: unknown
}

/** Newest first, with the live one's snapshot only. */
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
 * Revisions sort as text (https://atproto.com/specs/tid). The live one's revision is not outdated: the same record may
 * have another snapshot now.
 */
function isOutdated(rev: string, removedRev: string | null, liveRev = ''): boolean {
  return rev < liveRev || (removedRev !== null && rev <= removedRev)
}

/**
 * A later revision with the same record makes what was read in between outdated. The problems may differ: an unreadable
 * settings record is one, and leaves the snapshot as it is.
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

async function deleteVersions(
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
  if (live !== undefined) await setReplaced(transaction, { id: live.id, now })
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
  { site: { did, name }, label: _, problems, ...facts }: NewVersion,
  state: 'live' | 'invalid',
  now: number,
): Promise<string> {
  const id = Bun.randomUUIDv7()
  const row = { ...facts, did, name, id, state, problems: JSON.stringify(problems) }
  await insertRow(transaction, { ...row, seenAt: now, replacedAt: null })
  return id
}

const insertRow = prepared<VersionRow, unknown>((db, row) => db.insertInto('versions').values(row))

async function appendVersionEvent(
  transaction: Transaction<Schema>,
  event: 'site.published' | 'site.refused',
  { bytes, fileCount, label, problems, recordCid, rev, site: { did, name } }: NewVersion,
  now: number,
): Promise<void> {
  const facts = { version: recordCid, rev, fileCount, bytes, problems: sentProblems(problems) }
  await appendWebhookEvent(
    transaction,
    event,
    { did, site: name, labels: { url: label }, ...facts },
    now,
  )
}

/** `versions`: the ones before the version that has just gone live, newest first. */
async function prune(
  transaction: Transaction<Schema>,
  versions: readonly StoredVersion[],
  now: number,
): Promise<void> {
  await deleteVersions(transaction, versions.slice(versionsMax - 1))
  const isOver = ({ hasSnapshot, replacedAt }: StoredVersion) =>
    hasSnapshot && replacedAt !== null && replacedAt < now - replacedVersionMs
  const ids = versions.filter(isOver).map(({ id }) => id)
  if (ids.length === 0) return
  await transaction.updateTable('versions').set({ snapshot: null }).where('id', 'in', ids).execute()
}
