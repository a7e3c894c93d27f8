import type { Selectable } from 'kysely'
import type { Did } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import type { WebhookTables } from '#store/database/tables/webhook-tables.ts'
import { inTransaction, isPostgres } from '#store/database/transaction.ts'
import { disableWebhook, findWebhook, type Webhook, type WebhookKey } from './webhooks.ts'

/** One event for one webhook, until it is answered or given up. */
export type Delivery = Readonly<Selectable<WebhookTables['webhookDeliveries']>>

/** Leased to the process that took it. */
export interface DueDelivery extends Delivery {
  readonly webhook: Webhook
}

interface TakeOptions {
  readonly now: number
  readonly leaseMs: number
  readonly limit: number
  /** Accounts and hosts that have enough in progress. */
  readonly busy: { readonly dids: readonly Did[]; readonly hosts: readonly string[] }
  /** Accounts whose deliveries are taken after all others, however long they wait. */
  readonly served?: readonly Did[]
}

/**
 * Leases due deliveries, longest wait first, those of `served` last; each counts as an attempt. No other caller gets them until
 * they are recorded or postponed, or `leaseMs` are over: then their process has died, and they are taken again.
 */
export function takeDueDeliveries(db: Db, options: TakeOptions): Promise<DueDelivery[]> {
  const { now, leaseMs } = options
  return inTransaction(db, async (transaction) => {
    const ids = await lockDue(transaction, options)
    if (ids.length === 0) return []
    const taken = await transaction
      .updateTable('webhookDeliveries')
      .set(({ eb }) => ({ leasedUntil: now + leaseMs, attempts: eb('attempts', '+', 1) }))
      .where('id', 'in', ids)
      .returningAll()
      .execute()
    const dueDeliveries: DueDelivery[] = []
    for (const delivery of taken.toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id))) {
      const webhook = await findWebhook(transaction, { ...delivery, id: delivery.webhookId })
      if (webhook !== null) dueDeliveries.push({ ...delivery, webhook })
    }
    return dueDeliveries
  })
}

/** Returns their ids, in the order in which they are to be sent. */
async function lockDue(
  db: Db,
  { now, limit, busy, served = [] }: TakeOptions,
): Promise<readonly string[]> {
  const due = db
    .selectFrom('webhookDeliveries')
    .innerJoin('webhooks', 'webhooks.id', 'webhookDeliveries.webhookId')
    .select('webhookDeliveries.id')
    .where('state', '=', 'pending')
    .where('nextAttemptAt', '<=', now)
    .where('leasedUntil', '<=', now)
    .$if(busy.dids.length > 0, (query) => query.where('webhookDeliveries.did', 'not in', busy.dids))
    .$if(busy.hosts.length > 0, (query) => query.where('webhooks.host', 'not in', busy.hosts))
    .orderBy('nextAttemptAt')
    .orderBy('webhookDeliveries.id')
  const locked = isPostgres(db) ? due.forUpdate('webhookDeliveries').skipLocked() : due
  const idsOf = async (query: typeof locked, max: number): Promise<string[]> =>
    (await query.limit(max).execute()).map(({ id }) => id)
  if (served.length === 0) return await idsOf(locked, limit)
  const others = await idsOf(locked.where('webhookDeliveries.did', 'not in', served), limit)
  if (others.length === limit) return others
  const last = locked.where('webhookDeliveries.did', 'in', served)
  return [...others, ...(await idsOf(last, limit - others.length))]
}

/** Puts a taken delivery back until `at`, as if it had not been taken. */
export async function postponeDelivery(db: Db, id: string, at: number): Promise<void> {
  await db
    .updateTable('webhookDeliveries')
    .set(({ eb }) => ({ leasedUntil: 0, nextAttemptAt: at, attempts: eb('attempts', '-', 1) }))
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .execute()
}

/** How an attempt has ended. */
export interface AttemptEnd extends Pick<Delivery, 'status' | 'failure' | 'durationMs'> {
  /** Of the next attempt; null: it was the last one. */
  readonly retryAt: number | null
}

export interface EndOptions {
  readonly now: number
  /** A webhook of which a delivery is given up, and none was answered for this long, is disabled. */
  readonly failingMsMax: number
}

/**
 * Records an attempt. Returns why the webhook is disabled from now on: it failed for too long, or its server says that it
 * is gone; null: it is not.
 */
export function recordAttempt(
  db: Db,
  { id, webhookId }: Pick<Delivery, 'id' | 'webhookId'>,
  { retryAt, ...end }: AttemptEnd,
  { now, failingMsMax }: EndOptions,
): Promise<'failing' | 'gone' | null> {
  return inTransaction(db, async (transaction) => {
    const state = end.failure === null ? 'delivered' : retryAt === null ? 'given-up' : 'pending'
    const { numUpdatedRows } = await transaction
      .updateTable('webhookDeliveries')
      .set({ ...end, state, attemptedAt: now, leasedUntil: 0 })
      .$if(retryAt !== null, (query) => query.set({ nextAttemptAt: retryAt ?? 0 }))
      .where('id', '=', id)
      .where('state', '=', 'pending')
      .executeTakeFirstOrThrow()
    if (numUpdatedRows === 0n) return null
    const webhook = await transaction
      .updateTable('webhooks')
      .set(({ fn, val }) => ({
        failingSince: end.failure === null ? null : fn.coalesce('failingSince', val(now)),
      }))
      .where('id', '=', webhookId)
      .returning(['failingSince', 'disabledBy'])
      .executeTakeFirst()
    if (webhook === undefined || webhook.disabledBy !== null) return null
    const by = endOf(state, end.status, now - (webhook.failingSince ?? now) >= failingMsMax)
    if (by !== null) await disableWebhook(transaction, webhookId, by, now)
    return by
  })
}

function endOf(
  state: Delivery['state'],
  status: number | null,
  hasFailedLong: boolean,
): 'failing' | 'gone' | null {
  if (state === 'given-up' && status === goneStatus) return 'gone'
  return state === 'given-up' && hasFailedLong ? 'failing' : null
}

/** How a server says that it wants no more (Standard Webhooks, "Deliverability and Reliability"). */
export const goneStatus = 410

/** Newest first, those before `before`. */
export async function listDeliveries(
  db: Db,
  webhookId: string,
  { limit, before }: { readonly limit: number; readonly before: string | null },
): Promise<Delivery[]> {
  return await db
    .selectFrom('webhookDeliveries')
    .selectAll()
    .where('webhookId', '=', webhookId)
    .$if(before !== null, (query) => query.where('id', '<', before ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

/** Makes a delivery due again, with all its attempts. Null: the account's webhook has no such delivery. */
export async function requestDelivery(
  db: Db,
  { did, id }: WebhookKey,
  deliveryId: string,
  now: number,
): Promise<Delivery | null> {
  const row = await db
    .updateTable('webhookDeliveries')
    .set({ state: 'pending', attempts: 0, nextAttemptAt: now })
    .where('id', '=', deliveryId)
    .where('webhookId', '=', id)
    .where('did', '=', did)
    .returningAll()
    .executeTakeFirst()
  return row ?? null
}

/** When the next delivery is due, possibly in the past; null: none waits. */
export async function nextDeliveryAt(db: Db): Promise<number | null> {
  const { at } = await db
    .selectFrom('webhookDeliveries')
    .select(({ fn }) => fn.min('nextAttemptAt').as('at'))
    .where('state', '=', 'pending')
    .executeTakeFirstOrThrow()
  return at
}

/** Deletes older ones that have ended; what waits stays. */
export async function deleteDeliveriesBefore(db: Db, before: number): Promise<void> {
  await db
    .deleteFrom('webhookDeliveries')
    .where('createdAt', '<', before)
    .where('state', '!=', 'pending')
    .execute()
}
