import type { Did } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import type { VersionKey } from '#site/version-key.ts'
import type { Db } from '#store/database/database.ts'
import { prepared, preparedForItems } from '#store/database/prepared.ts'
import type { WorkKind } from '#store/database/schema.ts'
import { inSharedTransaction } from '#store/database/shared-transaction.ts'
import { storableText } from '#store/database/storable-text.ts'

/** A site, a version record or an account that ingest has to read, leased to the process that took it. */
export interface WorkItem {
  readonly kind: WorkKind
  readonly did: Did
  /** The key of a version record; empty: the account as a whole. */
  readonly site: SiteName | VersionKey | ''
  /** When it was first enqueued. */
  readonly enqueuedAt: number
  /** How often it was taken since its attempts were reset, this time included. */
  readonly attempts: number
  /** Changes whenever it is enqueued. */
  readonly token: string
  /** Changes whenever it is taken: who had it before changes nothing of it any more. */
  readonly lease: string
  /** The account's server, as the account was last checked. */
  readonly pds: string | null
  /** Of the request that enqueued it last; null: none did. */
  readonly traceId: string | null
}

type Key = Pick<WorkItem, 'kind' | 'did' | 'site'>
type LeasedKey = Pick<WorkItem, 'kind' | 'did' | 'site' | 'lease'>

/** What a wake-up `ingested` is about. */
export const ingestedOf = ({ did, kind, site }: Key): string => `${kind} ${did}/${site}`

/** When a parked item is due: only after it is enqueued again. */
export const parkedAt = Number.MAX_SAFE_INTEGER

/** Leases due items until that time. */
export const leaseItems = preparedForItems<Key, { lease: string; leasedUntil: number }, unknown>(
  (db, items, leased) =>
    db
      .updateTable('workItems')
      .where(({ eb, refTuple, tuple }) =>
        eb(
          refTuple('did', 'kind', 'site'),
          'in',
          items.map(({ did, kind, site }) => tuple(did, kind, site)),
        ),
      )
      .set(({ eb }) => ({ ...leased, attempts: eb('attempts', '+', 1) })),
)

/** Keeps a leased item for `leaseMs` from now; does nothing if it was finished, retried or taken by another meanwhile. */
export async function renewItem(
  db: Db,
  item: LeasedKey,
  { now, leaseMs }: { now: number; leaseMs: number },
): Promise<void> {
  await updateItem(db, item)
    .set({ leasedUntil: now + leaseMs })
    .where('leasedUntil', '>', 0)
    .execute()
}

/**
 * Deletes a finished item. If it was enqueued again meanwhile, it stays and is due at once, with no attempts. Does nothing if
 * another has taken it meanwhile.
 */
export function finishItem(db: Db, item: WorkItem): Promise<void> {
  return inSharedTransaction(db, async (transaction) => {
    const { numAffectedRows } = await deleteItem(transaction, item)
    if (numAffectedRows !== 0n) return
    await updateItem(transaction, item).set({ leasedUntil: 0, line: '', attempts: 0 }).execute()
  })
}

const deleteItem = prepared<LeasedKey & Pick<WorkItem, 'token'>, unknown>(
  (db, { kind, did, site, lease, token }) =>
    db
      .deleteFrom('workItems')
      .where('kind', '=', kind)
      .where('did', '=', did)
      .where('site', '=', site)
      .where('token', '=', token)
      .where('lease', '=', lease),
)

export interface RetryLater {
  /** Null: it is parked until it is enqueued again. */
  readonly at: number | null
  readonly error: string | null
  /** The attempt does not count. */
  readonly isFree?: boolean
  /** It is due no earlier, even if it is enqueued again. */
  readonly notBefore?: number
}

/**
 * Makes a failed item due `at` that time. False: it was enqueued again meanwhile, and is due at `notBefore`; or another has taken
 * it meanwhile, and nothing has changed.
 */
export function retryItem(
  db: Db,
  item: WorkItem,
  { at, error, isFree = false, notBefore = 0 }: RetryLater,
): Promise<boolean> {
  return inSharedTransaction(db, async (transaction) => {
    await updateItem(transaction, item)
      .set(({ eb, ref }) => ({
        leasedUntil: 0,
        line: '',
        notBefore,
        nextAttemptAt: eb
          .case()
          .when('nextAttemptAt', '<', notBefore)
          .then(notBefore)
          .else(ref('nextAttemptAt'))
          .end(),
        ...(isFree && { attempts: eb('attempts', '-', 1) }),
      }))
      .execute()
    const { numUpdatedRows } = await updateItem(transaction, item)
      .set({ nextAttemptAt: at ?? parkedAt, lastError: error && storableText(error) })
      .where('token', '=', item.token)
      .executeTakeFirstOrThrow()
    return numUpdatedRows > 0n
  })
}

/** Puts leased items into this line, without counting the attempt; they wait until they are taken from it. */
export function putInLine(db: Db, items: readonly WorkItem[], line: string): Promise<void> {
  return inSharedTransaction(db, async (transaction) => {
    await updateLine(transaction, items, { line })
  })
}

const updateLine = preparedForItems<LeasedKey, { line: string }, unknown>((db, items, { line }) =>
  db
    .updateTable('workItems')
    .where(({ eb, refTuple, tuple }) =>
      eb(
        refTuple('did', 'kind', 'site', 'lease'),
        'in',
        items.map(({ did, kind, site, lease }) => tuple(did, kind, site, lease)),
      ),
    )
    .set(({ eb }) => ({ line, leasedUntil: 0, attempts: eb('attempts', '-', 1) })),
)

const updateItem = (db: Db, { kind, did, site, lease }: LeasedKey) =>
  db
    .updateTable('workItems')
    .where('kind', '=', kind)
    .where('did', '=', did)
    .where('site', '=', site)
    .where('lease', '=', lease)
