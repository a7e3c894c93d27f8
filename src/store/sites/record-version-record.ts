import type { Selectable, Transaction } from 'kysely'
import { accountVersionRecordsMax, versionRecordsMax } from '#site/limits.ts'
import { type Did, type SiteAddress, siteLabel } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import type { VersionKey } from '#site/version-key.ts'
import { lockIfKnown } from '#store/accounts/accounts.ts'
import { appendChange, appendLabelChange } from '#store/database/changes.ts'
import type { Db } from '#store/database/database.ts'
import type { Schema } from '#store/database/schema.ts'
import { inSharedTransaction } from '#store/database/shared-transaction.ts'
import { rememberForgotten, rememberKept } from './forgotten-versions.ts'
import { withdrawIfEarlier } from './withdrawals.ts'

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

export interface VersionRecordKey {
  readonly did: Did
  readonly key: VersionKey
}

/** Removals of an account that are remembered; further ones are not. */
export const removedVersionsMax = 1000

export const tooManyVersions = `Only the newest ${versionRecordsMax} versions of a site are kept here. Delete older ones.`

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
    await tellEdge(transaction, before, now)
    await tellEdge(transaction, row, now)
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
    await tellEdge(transaction, before, now)
    return true
  })
}

/** Without what others decide. */
type Row = Omit<Selectable<Schema['versionRecords']>, 'withdrawn'>

/** The live revision is not outdated: the same record may have another snapshot now. */
const isOutdated = (rev: string, { rev: known, state }: Row): boolean =>
  state === 'removed' ? rev <= known : rev < known

function rowOf({ problems, source, pinned, ...facts }: NewVersionRecord, now: number): Row {
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
function isEqual(before: Row, now: Row): boolean {
  const { id: _, rev: __, seenAt: ___, ...facts } = now
  return Object.entries(facts).every(([name, value]) => Reflect.get(before, name) === value)
}

function findRow(transaction: Transaction<Schema>, { did, key }: VersionRecordKey) {
  const row = transaction.selectFrom('versionRecords').selectAll()
  return row.where('did', '=', did).where('key', '=', key).executeTakeFirst()
}

async function insertRow(transaction: Transaction<Schema>, row: Row): Promise<void> {
  const { did: _, key: __, ...news } = row
  await transaction
    .insertInto('versionRecords')
    .values(row)
    .onConflict((conflict) => conflict.columns(['did', 'key']).doUpdateSet(news))
    .execute()
}

async function updateRow(
  transaction: Transaction<Schema>,
  { did, key }: VersionRecordKey,
  news: Partial<Row>,
): Promise<void> {
  const update = transaction.updateTable('versionRecords').set(news)
  await update.where('did', '=', did).where('key', '=', key).execute()
}

async function deleteRow(
  transaction: Transaction<Schema>,
  { did, key }: VersionRecordKey,
): Promise<void> {
  const one = transaction.deleteFrom('versionRecords').where('did', '=', did)
  await one.where('key', '=', key).execute()
}

/**
 * Its address has other contents, or none. The edge keeps with the site where its aliases lead, and the assets of versions
 * that were live.
 */
async function tellEdge(
  transaction: Transaction<Schema>,
  row: Pick<Row, 'did' | 'site' | 'label' | 'alias' | 'manifest'> | undefined,
  now: number,
): Promise<void> {
  if (row === undefined || row.label === null) return
  await appendLabelChange(transaction, row.label, now)
  if (row.site === '') return
  const site = { did: row.did, name: row.site }
  const isEarlier = row.manifest !== null && !(await isLive(transaction, site, row.manifest))
  if (row.alias !== null || isEarlier) await appendChange(transaction, site, now)
}

async function isLive(
  transaction: Transaction<Schema>,
  { did, name }: SiteAddress,
  recordCid: string,
): Promise<boolean> {
  const live = transaction
    .selectFrom('versions')
    .select('id')
    .where('did', '=', did)
    .where('name', '=', name)
    .where('state', '=', 'live')
    .where('recordCid', '=', recordCid)
  return (await live.executeTakeFirst()) !== undefined
}

/** Takes the content of the site's records beyond `versionRecordsMax`; returns their keys. */
async function ignoreOldest(
  transaction: Transaction<Schema>,
  { did, site }: Pick<NewVersionRecord, 'did' | 'site'>,
  now: number,
): Promise<VersionKey[]> {
  const rows = await transaction
    .selectFrom('versionRecords')
    .select(['did', 'key', 'site', 'siteLabel', 'state', 'label', 'alias', 'manifest'])
    .where('did', '=', did)
    .where('site', '=', site)
    .where('state', '!=', 'removed')
    .orderBy('key', 'desc')
    .execute()
  const beyond = rows.slice(versionRecordsMax)
  const problems = JSON.stringify([tooManyVersions])
  for (const row of beyond.filter(({ state }) => state !== 'ignored')) {
    const none = { state: 'ignored', label: null, snapshot: null, filesDigest: null } as const
    await updateRow(transaction, row, { ...none, problems })
    await rememberForgotten(transaction, row, now)
    await tellEdge(transaction, row, now)
  }
  return beyond.map(({ key }) => key)
}

/** Deletes the account's records beyond `accountVersionRecordsMax`; returns their keys. */
async function dropOldest(
  transaction: Transaction<Schema>,
  did: Did,
  now: number,
): Promise<VersionKey[]> {
  const rows = await transaction
    .selectFrom('versionRecords')
    .select(['did', 'key', 'site', 'siteLabel', 'label', 'alias', 'manifest'])
    .where('did', '=', did)
    .where('state', '!=', 'removed')
    .orderBy('key', 'desc')
    .offset(accountVersionRecordsMax)
    .limit(accountVersionRecordsMax)
    .execute()
  for (const row of rows) {
    await deleteRow(transaction, row)
    await rememberForgotten(transaction, row, now)
    await tellEdge(transaction, row, now)
  }
  return rows.map(({ key }) => key)
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
