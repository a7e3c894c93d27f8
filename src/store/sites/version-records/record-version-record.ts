import type { Transaction } from 'kysely'
import { previewLabel } from '#site/preview-label.ts'
import { type Did, siteLabel } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import type { VersionKey } from '#site/version-key.ts'
import { lockIfKnown } from '#store/accounts/accounts.ts'
import { appendChange, appendNewVersion } from '#store/database/changes.ts'
import type { Db } from '#store/database/database.ts'
import type { Schema } from '#store/database/schema.ts'
import { inSharedTransaction } from '#store/database/shared-transaction.ts'
import { rememberForgotten, rememberKept } from '#store/sites/forgotten-versions.ts'
import { withdrawIfEarlier } from '#store/sites/withdrawals.ts'
import { appendWebhookEvent } from '#store/webhooks/append-event.ts'
import { dropOldest, ignoreOldest } from './oldest-version-records.ts'
import {
  deleteRow,
  findRow,
  insertRow,
  tellEdge,
  updateRow,
  type VersionRecordKey,
  type VersionRecordRow,
} from './version-record-rows.ts'

/** A version that its owner keeps as a record, as ingest judged it. */
export interface NewVersionRecord {
  readonly did: Did
  readonly key: VersionKey
  /** Empty: the record names no site. */
  readonly site: SiteName | ''
  readonly cid: string
  /** The revision of the repository at which it was read. */
  readonly rev: string
  /** Of its address; null: it is refused. */
  readonly label: string | null
  readonly manifest: string | null
  readonly alias: string | null
  readonly message: string | null
  readonly source: object | null
  readonly pinned: boolean
  readonly createdAt: number
  /** Null: it stays until its owner removes it. */
  readonly expiresAt: number | null
  readonly fileCount: number
  readonly bytes: number
  readonly filesDigest: string | null
  readonly problems: readonly string[]
  /** Null: refused, or expired. */
  readonly snapshot: string | null
}

/**
 * `ignored`: its site has `versionRecordsMax` newer ones; it is listed, without its content. The last three store nothing.
 * `outdated`: a later revision was read, or the record was removed since. `too-many`: its account has
 * `accountVersionRecordsMax` newer ones. `not-known`: its account is unknown.
 */
export type VersionRecordOutcome =
  | 'kept'
  | 'unchanged'
  | 'refused'
  | 'ignored'
  | 'outdated'
  | 'too-many'
  | 'not-known'

/** Removals of an account that are remembered; further ones are not. */
export const removedVersionsMax = 1000

/** Stores a version record, or what is new about it. The oldest ones of a site or account with too many lose their content. */
export function recordVersionRecord(
  db: Db,
  record: NewVersionRecord,
  now: number,
): Promise<VersionRecordOutcome> {
  return inSharedTransaction(db, async (transaction) => {
    // Also keeps other work on records of this account waiting until the commit.
    if (!(await lockIfKnown(transaction, record.did))) return 'not-known'
    const before = await findRow(transaction, record)
    if (before !== undefined && isOutdated(record.rev, before)) return 'outdated'
    const row = rowOf(record, now)
    const isSame = before !== undefined && isEqual(before, row)
    if (isSame) {
      await updateRow(transaction, record, { rev: row.rev, seenAt: now })
      return before.state === 'kept' ? 'unchanged' : 'refused'
    }
    await insertRow(transaction, row)
    await withdrawIfEarlier(transaction, row)
    if (row.label !== null) await rememberKept(transaction, row.label)
    if (before === undefined) await appendPreviewEvent(transaction, row, now)
    await tellEdge(transaction, before, now)
    await tellEdge(transaction, row, now, before === undefined ? appendNewVersion : appendChange)
    const demoted = await ignoreOldest(transaction, record, now)
    const dropped = await dropOldest(transaction, record.did, now)
    if (dropped.includes(record.key)) return 'too-many'
    if (demoted.includes(record.key)) return 'ignored'
    return row.state === 'kept' ? 'kept' : 'refused'
  })
}

/**
 * Forgets a version whose record was removed at revision `rev`; an older state of the record that arrives late cannot
 * bring it back. False: nothing changed.
 */
export function removeVersionRecord(
  db: Db,
  key: VersionRecordKey,
  rev: string,
  now: number,
): Promise<boolean> {
  return inSharedTransaction(db, async (transaction) => {
    if (!(await lockIfKnown(transaction, key.did))) return false
    const before = await findRow(transaction, key)
    if (before !== undefined && before.rev >= rev) return false
    const removed = { ...removedRow, ...key, id: Bun.randomUUIDv7(), rev, seenAt: now }
    if (await hasManyRemoved(transaction, key.did)) await deleteRow(transaction, key)
    else await insertRow(transaction, removed)
    if (before === undefined || before.state === 'removed') return false
    await rememberForgotten(transaction, before, now)
    // Publishes remove the oldest ones: what the live version has stays.
    await tellEdge(transaction, before, now, appendNewVersion)
    return true
  })
}

async function appendPreviewEvent(
  transaction: Transaction<Schema>,
  { did, label, manifest, site, siteLabel, ...row }: VersionRecordRow,
  now: number,
): Promise<void> {
  if (label === null || manifest !== null || site === '') return
  const { alias, bytes, cid, expiresAt, fileCount, key, message } = row
  const previewUrl = alias === null ? null : previewLabel(alias, siteLabel)
  const facts = { key, version: cid, fileCount, bytes, alias, message, expiresAt }
  const sent = { did, site, labels: { url: label, previewUrl }, ...facts }
  await appendWebhookEvent(transaction, 'preview.made', sent, now)
}

/** The live revision is not outdated: the same record may have another snapshot now. */
const isOutdated = (rev: string, { rev: known, state }: VersionRecordRow): boolean =>
  state === 'removed' ? rev <= known : rev < known

function rowOf(
  { problems, source, pinned, ...facts }: NewVersionRecord,
  now: number,
): VersionRecordRow {
  return {
    ...facts,
    id: Bun.randomUUIDv7(),
    siteLabel: facts.site === '' ? '' : siteLabel({ did: facts.did, name: facts.site }),
    state: facts.label === null ? 'refused' : 'kept',
    source: source && JSON.stringify(source),
    pinned: pinned ? 1 : 0,
    problems: JSON.stringify(problems),
    seenAt: now,
  }
}

const removedRow = {
  site: '',
  siteLabel: '',
  state: 'removed',
  cid: '',
  label: null,
  manifest: null,
  alias: null,
  message: null,
  source: null,
  pinned: 0,
  createdAt: 0,
  expiresAt: null,
  fileCount: 0,
  bytes: 0,
  filesDigest: null,
  problems: '[]',
  snapshot: null,
} as const

/** Apart from where and when it was read. */
function isEqual(before: VersionRecordRow, now: VersionRecordRow): boolean {
  const { id: _, rev: __, seenAt: ___, ...facts } = now
  return Object.entries(facts).every(([name, value]) => Reflect.get(before, name) === value)
}

async function hasManyRemoved(transaction: Transaction<Schema>, did: Did): Promise<boolean> {
  const { count } = await transaction
    .selectFrom('versionRecords')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('did', '=', did)
    .where('state', '=', 'removed')
    .executeTakeFirstOrThrow()
  return Number(count) >= removedVersionsMax
}
