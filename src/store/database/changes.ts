import type { Selectable } from 'kysely'
import type { Counts } from '#observe/tally.ts'
import { type SiteAddress, siteLabel } from '#site/site-address.ts'
import { chunksOf } from './chunks.ts'
import type { Db } from './database.ts'
import { prepared } from './prepared.ts'
import type { Schema } from './schema.ts'
import { isPostgres } from './transaction.ts'

/**
 * A site, or the address of a version, may have other contents now, or a host may lead to another site. Both are named by
 * their labels: changes outlive accounts, and name none. `isNewVersion`: it takes nothing back, what it replaces may be served a moment longer.
 */
export type Change = { readonly seq: number; readonly createdAt: number } & (
  | { readonly kind: 'site'; readonly label: string; readonly isNewVersion?: true }
  | { readonly kind: 'host'; readonly host: string }
  /**
   * The owner of the site with this label took something back. Copies are to go: in memory, of the stored bytes with these
   * hashes; in a CDN, of all that the site has.
   */
  | { readonly kind: 'blobs'; readonly label: string; readonly hashes: readonly string[] }
  /** The account with this `didHash` was signed out of all browsers. */
  | { readonly kind: 'signed-out'; readonly didHash: string }
  /** The account with this `didHash` may have another server or key now. */
  | { readonly kind: 'identity'; readonly didHash: string }
  /** A command recorded these events, so often each. */
  | { readonly kind: 'events'; readonly counts: Counts }
)

/** Appends a change of the site, which readers see once the transaction commits. */
export function appendChange(db: Db, site: SiteAddress, now: number): Promise<void> {
  return appendLabelChange(db, siteLabel(site), now)
}

/** As `appendChange`, for a new version that takes nothing back. */
export function appendNewVersion(db: Db, site: SiteAddress, now: number): Promise<void> {
  const label = siteLabel(site)
  return append(db, { kind: 'site', label, host: label, createdAt: now })
}

/** As `appendChange`, for the address of a version. */
export function appendLabelChange(db: Db, label: string, now: number): Promise<void> {
  return append(db, { kind: 'site', label, host: null, createdAt: now })
}

/** As `appendChange`, for a host that leads elsewhere now, or nowhere. */
export function appendHostChange(db: Db, host: string, now: number): Promise<void> {
  return append(db, { kind: 'host', label: null, host, createdAt: now })
}

/** As `appendChange`, for what its owner took back, with the stored bytes that were removed for that. */
export async function appendBlobChanges(
  db: Db,
  site: SiteAddress,
  hashes: readonly string[],
  now: number,
): Promise<void> {
  for (const some of hashes.length === 0 ? [[]] : chunksOf(hashes, hashesOfChange)) {
    const label = some.join(' ')
    await append(db, { kind: 'blobs', label, host: siteLabel(site), createdAt: now })
  }
}

/** As `appendChange`, for an account that a command or an administrator signed out. */
export async function appendSignedOut(db: Db, didHash: string, now: number): Promise<void> {
  await append(db, { kind: 'signed-out', label: didHash, host: null, createdAt: now })
}

/** As `appendChange`, for an account whose identity may have changed. */
export async function appendIdentityChange(db: Db, didHash: string, now: number): Promise<void> {
  await append(db, { kind: 'identity', label: didHash, host: null, createdAt: now })
}

/** As `appendChange`, for what a command recorded: the service counts it. */
export async function appendEventCounts(db: Db, counts: Counts, now: number): Promise<void> {
  await append(db, { kind: 'events', label: JSON.stringify(counts), host: null, createdAt: now })
}

const hashesOfChange = 100

/**
 * PostgreSQL numbers changes while their transaction commits, one transaction at a time: if 8 was visible before 7, a reader that
 * continued from 8 would never see 7.
 */
async function append(db: Db, row: ChangeValues): Promise<void> {
  await insertChange(db, row)
}

const insertChange = prepared<ChangeValues, unknown>((db, row) =>
  isPostgres(db)
    ? db.insertInto('appendedChanges').values(row)
    : db.insertInto('changes').values(row),
)

/**
 * The changes after `afterSeq`, oldest first. None is ever skipped, except by pruning: when the oldest of `keptChangeSeqs` is
 * over `afterSeq + 1`, some may be gone, and the reader has to start afresh.
 */
export async function readChanges(db: Db, afterSeq: number, limit = 1000): Promise<Change[]> {
  const { rows } = await selectChanges(db, { afterSeq, limit })
  return rows.map(changeOf)
}

const selectChanges = prepared<{ afterSeq: number; limit: number }, ChangeRow>(
  (db, { afterSeq, limit }) =>
    db.selectFrom('changes').selectAll().where('seq', '>', afterSeq).orderBy('seq').limit(limit),
)

/** Where a reader that has just loaded everything continues; 0 before the first change. */
export async function latestChangeSeq(db: Db): Promise<number> {
  return (await keptChangeSeqs(db)).newest
}

/** The oldest and the newest change that are kept; 0: there is none. */
export async function keptChangeSeqs(db: Db): Promise<{ oldest: number; newest: number }> {
  const { rows } = await selectKept(db, {})
  const [{ oldest, newest } = {}] = rows
  return { oldest: oldest ?? 0, newest: newest ?? 0 }
}

// Two selects: SQLite reads the whole index for both in one.
const selectKept = prepared<object, { oldest: number | null; newest: number | null }>((db) =>
  db.selectNoFrom(({ selectFrom }) => [
    selectFrom('changes')
      .select(({ fn }) => fn.min('seq').as('seq'))
      .as('oldest'),
    selectFrom('changes')
      .select(({ fn }) => fn.max('seq').as('seq'))
      .as('newest'),
  ]),
)

/** Drops the changes before `before`, except the newest: `latestChangeSeq` never decreases. */
export async function pruneChanges(db: Db, before: number): Promise<void> {
  await db
    .deleteFrom('changes')
    .where('createdAt', '<', before)
    .where('seq', '<', (query) =>
      query.selectFrom('changes').select(({ fn }) => fn.max('seq').as('newest')),
    )
    .execute()
}

function changeOf({ seq, kind, label, host, createdAt }: ChangeRow): Change {
  switch (kind) {
    case 'site':
      return {
        ...{ kind, seq, label: label ?? '', createdAt },
        ...(host !== null && { isNewVersion: true }),
      }
    case 'host':
      return { kind, seq, host: host ?? '', createdAt }
    case 'blobs':
      return { kind, seq, label: host ?? '', hashes: (label ?? '').match(/\S+/g) ?? [], createdAt }
    case 'signed-out':
    case 'identity':
      return { kind, seq, didHash: label ?? '', createdAt }
    case 'events':
      return { kind, seq, counts: JSON.parse(label ?? '{}') as Counts, createdAt }
  }
}

type ChangeValues = Omit<ChangeRow, 'seq'>
type ChangeRow = Selectable<Schema['changes']>
