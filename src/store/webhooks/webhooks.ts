import type { Selectable } from 'kysely'
import type { Did } from '#site/site-address.ts'
import type { WebhookEnd, WebhookEvent } from '#site/webhook-event.ts'
import { lockOrThrowIfDeletedHere } from '#store/accounts/deleted-here.ts'
import type { Db } from '#store/database/database.ts'
import type { WebhookTables } from '#store/database/tables/webhook-tables.ts'
import { inTransaction, lockUntilCommit } from '#store/database/transaction.ts'

type WebhookRow = Readonly<Selectable<WebhookTables['webhooks']>>

/** A URL that receives the events of a site of an account, or of all of them. */
export interface Webhook extends Omit<WebhookRow, 'events'> {
  readonly events: readonly WebhookEvent[]
}

export type NewWebhook = Pick<
  Webhook,
  'id' | 'did' | 'site' | 'url' | 'host' | 'events' | 'sealedSecret'
> &
  Partial<Pick<Webhook, 'disabledBy'>>

/** Of an account. */
export interface WebhookKey {
  readonly did: Did
  readonly id: string
}

interface CreateOptions {
  readonly webhooksMax: number
  readonly now: number
  /** Not if the account has one with this URL for the same sites. */
  readonly isOnly?: true
}

/** `too-many`: the account has `webhooksMax` of them. Throws AccountDeletedHereError. */
export function createWebhook(
  db: Db,
  { events, ...facts }: NewWebhook,
  { webhooksMax, now, isOnly }: CreateOptions,
): Promise<'created' | 'too-many' | 'present'> {
  return inTransaction(db, async (transaction) => {
    await lockOrThrowIfDeletedHere(transaction, facts.did)
    await lockUntilCommit(transaction, `webhooks ${facts.did}`)
    const present = await listWebhooks(transaction, facts.did)
    if (isOnly && present.some((webhook) => isSameReceiver(webhook, facts))) return 'present'
    if (present.length >= webhooksMax) return 'too-many'
    const row = { ...facts, events: JSON.stringify(events), createdAt: now, updatedAt: now }
    await transaction.insertInto('webhooks').values(row).execute()
    return 'created'
  })
}

type Receiver = Pick<Webhook, 'site' | 'url'>

/** Whether two webhooks send the events of the same sites to one URL. */
export const isSameReceiver = (one: Receiver, other: Receiver): boolean =>
  one.url === other.url && one.site === other.site

/** Newest first. */
export async function listWebhooks(db: Db, did: Did): Promise<Webhook[]> {
  const rows = await db
    .selectFrom('webhooks')
    .selectAll()
    .where('did', '=', did)
    .orderBy('createdAt', 'desc')
    .orderBy('id')
    .execute()
  return rows.map(webhookOf)
}

/** Null: the account has no such webhook. */
export async function findWebhook(db: Db, { did, id }: WebhookKey): Promise<Webhook | null> {
  const query = db.selectFrom('webhooks').selectAll().where('id', '=', id).where('did', '=', did)
  const row = await query.executeTakeFirst()
  return row === undefined ? null : webhookOf(row)
}

export type WebhookChange = Partial<Pick<Webhook, 'url' | 'host' | 'events'>> & {
  /** By the owner. */
  readonly isEnabled?: boolean | undefined
}

/** Returns the changed webhook; null: the account has no such webhook. */
export function changeWebhook(
  db: Db,
  key: WebhookKey,
  { events, isEnabled, ...change }: WebhookChange,
  now: number,
): Promise<Webhook | null> {
  return inTransaction(db, async (transaction) => {
    const row = await transaction
      .updateTable('webhooks')
      .set({ ...change, updatedAt: now })
      .$if(events !== undefined, (query) => query.set({ events: JSON.stringify(events) }))
      .$if(isEnabled === true, (query) => query.set({ disabledBy: null, failingSince: null }))
      .where('id', '=', key.id)
      .where('did', '=', key.did)
      .returningAll()
      .executeTakeFirst()
    if (row === undefined) return null
    if (isEnabled !== false || row.disabledBy !== null) return webhookOf(row)
    await disableWebhook(transaction, key.id, 'owner', now)
    return { ...webhookOf(row), disabledBy: 'owner' }
  })
}

/** Gives its waiting deliveries up. */
export function disableWebhook(db: Db, id: string, by: WebhookEnd, now: number): Promise<void> {
  return inTransaction(db, async (transaction) => {
    await transaction
      .updateTable('webhooks')
      .set({ disabledBy: by, updatedAt: now })
      .where('id', '=', id)
      .execute()
    await transaction
      .updateTable('webhookDeliveries')
      .set({ state: 'given-up', failure: 'disabled', leasedUntil: 0 })
      .where('webhookId', '=', id)
      .where('state', '=', 'pending')
      .execute()
  })
}

/** The secret before signs as well until `formerUntil`. False: the account has no such webhook. */
export async function replaceSecret(
  db: Db,
  { did, id }: WebhookKey,
  sealedSecret: string,
  { formerUntil, now }: { readonly formerUntil: number; readonly now: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('webhooks')
    .set(({ ref }) => ({ sealedFormer: ref('sealedSecret'), formerUntil }))
    .set({ sealedSecret, updatedAt: now })
    .where('id', '=', id)
    .where('did', '=', did)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** With its deliveries. False: the account has no such webhook. */
export function deleteWebhook(db: Db, { did, id }: WebhookKey): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    const { numDeletedRows } = await transaction
      .deleteFrom('webhooks')
      .where('id', '=', id)
      .where('did', '=', did)
      .executeTakeFirstOrThrow()
    if (numDeletedRows === 0n) return false
    await transaction.deleteFrom('webhookDeliveries').where('webhookId', '=', id).execute()
    return true
  })
}

export const webhookOf = ({ events, ...row }: WebhookRow): Webhook => ({
  ...row,
  events: JSON.parse(events) as WebhookEvent[],
})
