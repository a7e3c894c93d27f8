import type { Did } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import type { DeliveredEvent, WebhookEvent } from '#site/webhook-event.ts'
import type { Db } from '#store/database/database.ts'
import { prepared } from '#store/database/prepared.ts'
import type { WebhookTables } from '#store/database/tables/webhook-tables.ts'

/** What a delivery says, besides the event's name and its time. */
export interface WebhookMessage {
  readonly did: Did
  /** Null: it is about no one site. */
  readonly site: SiteName | null
  /** By their names, labels below the base domain whose addresses are sent. */
  readonly labels?: Readonly<Record<string, string | null>>
  readonly [fact: string]: unknown
}

/** Deliveries of a webhook: those that wait, and all that are kept. */
export const pendingDeliveriesMax = 100
export const deliveriesMax = 200
/** Of problems and errors that are sent. */
export const sentProblemsMax = 10
export const sentCharsMax = 500

/**
 * Enqueues a delivery for each enabled webhook of the site, or of all the account's sites, that wants the event. Call
 * it in the transaction of the event: then every event has its deliveries, and no delivery is of an event that was rolled back.
 */
export async function appendWebhookEvent(
  db: Db,
  event: WebhookEvent,
  message: WebhookMessage,
  now: number,
): Promise<void> {
  const { did, site } = message
  const { rows } = await selectWebhooks(db, { did, all: '', site: site ?? '' })
  for (const { id, events } of rows) {
    const wanted: readonly string[] = JSON.parse(events)
    if (wanted.includes(event))
      await appendDelivery(db, { did, webhookId: id }, event, message, now)
  }
}

/** An account without webhooks costs this look-up alone. Prepared: runs with every version that goes live. */
const selectWebhooks = prepared<
  { did: Did; all: ''; site: SiteName | '' },
  Pick<WebhookTables['webhooks'], 'id' | 'events'>
>((db, { did, all, site }) =>
  db
    .selectFrom('webhooks')
    .select(['id', 'events'])
    .where('did', '=', did)
    .where('site', 'in', [all, site])
    .where('disabledBy', 'is', null),
)

/** Enqueues one delivery, in place of the oldest that has ended if there are many; null: too many are waiting. */
export async function appendDelivery(
  db: Db,
  { did, webhookId }: { readonly did: Did; readonly webhookId: string },
  event: DeliveredEvent,
  message: WebhookMessage,
  now: number,
): Promise<string | null> {
  const kept = await db
    .selectFrom('webhookDeliveries')
    .select(['id', 'state'])
    .where('webhookId', '=', webhookId)
    .orderBy('id', 'desc')
    .execute()
  const ended = kept.filter(({ state }) => state !== 'pending')
  if (kept.length - ended.length >= pendingDeliveriesMax) {
    await db
      .updateTable('webhooks')
      .set(({ eb }) => ({ skipped: eb('skipped', '+', 1) }))
      .where('id', '=', webhookId)
      .execute()
    return null
  }
  const tooMany = ended.slice(ended.length - Math.max(0, kept.length + 1 - deliveriesMax))
  if (tooMany.length > 0) {
    const ids = tooMany.map(({ id }) => id)
    await db.deleteFrom('webhookDeliveries').where('id', 'in', ids).execute()
  }
  // The letters before it are of the Standard Webhooks' examples; the rest sorts by time.
  const id = `msg_${Bun.randomUUIDv7('hex').replaceAll('-', '')}`
  await db
    .insertInto('webhookDeliveries')
    .values({
      ...{ id, webhookId, did, event, message: JSON.stringify(message), state: 'pending' },
      ...{ attempts: 0, createdAt: now, nextAttemptAt: now, attemptedAt: null },
      ...{ status: null, failure: null, durationMs: null },
    })
    .execute()
  return id
}

/** The first problems, each cut: strangers may have written them at any length. */
export const sentProblems = (problems: readonly string[]): string[] =>
  problems.slice(0, sentProblemsMax).map(sentText)

/** Cut to `sentCharsMax`, without half of a surrogate pair at its end. */
export const sentText = (text: string): string => text.slice(0, sentCharsMax).toWellFormed()
