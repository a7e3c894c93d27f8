import type { Insertable, Selectable } from 'kysely'
import type { Did, SiteAddress } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import type { Db } from './database.ts'
import type { Schema } from './schema.ts'
import { inTransaction, lockUntilCommit } from './transaction.ts'

/** What visitors get at this site, or the site that this host leads to, may be another from here on. */
export type Change = SiteChange | HostChange

interface SiteChange extends SiteAddress, ChangeFacts {
  readonly kind: 'site'
}

interface HostChange extends ChangeFacts {
  readonly kind: 'host'
  readonly host: string
}

interface ChangeFacts {
  readonly seq: number
  readonly createdAt: number
}

/**
 * Tells every reader of `changes` that the site changed, once the transaction commits. Comes last
 * in a transaction: it makes those of others that also append wait for its end.
 */
export function appendChange(db: Db, { did, name }: SiteAddress, now: number): Promise<number> {
  return append(db, { kind: 'site', did, name, host: null, createdAt: now })
}

/** As `appendChange`, of a host that leads elsewhere now, or nowhere. `did` is whose it is or was. */
export function appendHostChange(
  db: Db,
  { did, host }: { readonly did: Did; readonly host: string },
  now: number,
): Promise<number> {
  return append(db, { kind: 'host', did, name: '', host, createdAt: now })
}

function append(db: Db, row: Insertable<Schema['changes']>): Promise<number> {
  return inTransaction(db, async (transaction) => {
    // PostgreSQL gives out `seq` before the commit: without the lock 8 could be visible before 7,
    // and a reader that went on from 8 would never see 7.
    await lockUntilCommit(transaction, 'changes')
    const { seq } = await transaction
      .insertInto('changes')
      .values(row)
      .returning('seq')
      .executeTakeFirstOrThrow()
    return seq
  })
}

/**
 * The changes after `afterSeq`, oldest first. None is ever skipped, as long as they are read before
 * they are pruned: when `oldestChangeSeq` is over `afterSeq + 1`, some may be gone, and the reader
 * has to start afresh.
 */
export async function readChanges(db: Db, afterSeq: number, limit = 1000): Promise<Change[]> {
  const rows = await db
    .selectFrom('changes')
    .selectAll()
    .where('seq', '>', afterSeq)
    .orderBy('seq')
    .limit(limit)
    .execute()
  return rows.map(changeOf)
}

/** Where a reader that has just loaded everything goes on; 0 before the first change. */
export async function latestChangeSeq(db: Db): Promise<number> {
  const { seq } = await db
    .selectFrom('changes')
    .select(({ fn }) => fn.max('seq').as('seq'))
    .executeTakeFirstOrThrow()
  return seq ?? 0
}

/** The oldest that is kept; 0 when there is none. */
export async function oldestChangeSeq(db: Db): Promise<number> {
  const { seq } = await db
    .selectFrom('changes')
    .select(({ fn }) => fn.min('seq').as('seq'))
    .executeTakeFirstOrThrow()
  return seq ?? 0
}

/**
 * Drops the changes before `before`. The newest one stays, so that `latestChangeSeq` never goes
 * back.
 */
export async function pruneChanges(db: Db, before: number): Promise<void> {
  await db
    .deleteFrom('changes')
    .where('createdAt', '<', before)
    .where('seq', '<', (query) =>
      query.selectFrom('changes').select(({ fn }) => fn.max('seq').as('newest')),
    )
    .execute()
}

function changeOf({ seq, kind, did, name, host, createdAt }: ChangeRow): Change {
  return kind === 'site'
    ? { kind, seq, did, name: name as SiteName, createdAt }
    : { kind, seq, host: host ?? '', createdAt }
}

type ChangeRow = Selectable<Schema['changes']>
