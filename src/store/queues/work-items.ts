import type { RawBuilder } from 'kysely'
import type { Did } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import type { Db } from '#store/database/database.ts'
import { prepared, preparedForItems } from '#store/database/prepared.ts'
import type { WorkKind } from '#store/database/schema.ts'
import { inSharedTransaction } from '#store/database/shared-transaction.ts'
import { storableText } from '#store/database/storable-text.ts'

/** A site or an account that ingest has to read, leased to the process that took it. */
export interface WorkItem {
  readonly kind: WorkKind
  readonly did: Did
  /** Empty: the account as a whole. */
  readonly site: SiteName | ''
  /** When somebody first asked for it. */
  readonly enqueuedAt: number
  /** How often it was taken since it was last asked for, this time included. */
  readonly attempts: number
  /** Of the last time it was asked for. */
  readonly token: string
  /** The account's server, as the account was last checked. */
  readonly pds: string | null
}

type Key = Pick<WorkItem, 'kind' | 'did' | 'site'>

/** When a parked item is due: when it is asked for again, and not before. */
export const parkedAt = Number.MAX_SAFE_INTEGER

/** Leases items that are due: nobody else gets them before the lease ends. */
export const leaseItems = preparedForItems<Key, { leasedUntil: number }, unknown>(
  (db, items, { leasedUntil }) =>
    updateItems(db, items).set(({ eb }) => ({ leasedUntil, attempts: eb('attempts', '+', 1) })),
)

/** Keeps a taken item for `leaseMs` from now; nothing when it was finished or retried meanwhile. */
export async function renewLease(
  db: Db,
  item: Key,
  { now, leaseMs }: { now: number; leaseMs: number },
): Promise<void> {
  await updateItem(db, item)
    .set({ leasedUntil: now + leaseMs })
    .where('leasedUntil', '>', 0)
    .execute()
}

/** The item is done. If it was asked for again meanwhile, it is due at once instead, as if for the first time. */
export function finishItem(db: Db, item: WorkItem): Promise<void> {
  return inSharedTransaction(db, async (transaction) => {
    const { numAffectedRows } = await deleteItem(transaction, item)
    if (numAffectedRows !== 0n) return
    await updateItem(transaction, item).set({ leasedUntil: 0, line: '', attempts: 0 }).execute()
  })
}

const deleteItem = prepared<Key & Pick<WorkItem, 'token'>, unknown>(
  (db, { kind, did, site, token }) =>
    db
      .deleteFrom('workItems')
      .where('kind', '=', kind)
      .where('did', '=', did)
      .where('site', '=', site)
      .where('token', '=', token),
)

export interface RetryLater {
  /** Null: it is parked until it is asked for. */
  readonly at: number | null
  readonly error: string | null
  /** The attempt does not count. */
  readonly isFree?: boolean
  /** It is due no earlier, even if it is enqueued again. */
  readonly notBefore?: number
}

/** The item failed: it is due again `at` that time, or at `notBefore` if it was asked for again meanwhile: false. */
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

/** Gives back items that were taken and not worked on: they wait in this line until they are taken from it. */
export function putInLine(db: Db, items: readonly WorkItem[], line: string): Promise<void> {
  return inSharedTransaction(db, async (transaction) => {
    await updateLine(transaction, items, { line })
  })
}

const updateLine = preparedForItems<Key, { line: string }, unknown>((db, items, { line }) =>
  updateItems(db, items).set(({ eb }) => ({
    line,
    leasedUntil: 0,
    attempts: eb('attempts', '-', 1),
  })),
)

const updateItem = (db: Db, { kind, did, site }: Key) =>
  db
    .updateTable('workItems')
    .where('kind', '=', kind)
    .where('did', '=', did)
    .where('site', '=', site)

type NamedKey = { readonly [Name in keyof Key]: RawBuilder<Key[Name]> }

const updateItems = (db: Db, items: readonly NamedKey[]) =>
  db.updateTable('workItems').where(({ eb, refTuple, tuple }) =>
    eb(
      refTuple('did', 'kind', 'site'),
      'in',
      items.map(({ did, kind, site }) => tuple(did, kind, site)),
    ),
  )
