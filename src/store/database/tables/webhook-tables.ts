import type { Generated } from 'kysely'
import type { Did } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import type { DeliveredEvent, DeliveryFailure, WebhookEnd } from '#site/webhook-event.ts'

/** The tables of `store/webhooks`, which the rules of `Schema` hold for. */
export interface WebhookTables {
  webhooks: {
    id: string
    did: Did
    /** The site's name; empty: all sites of the account. */
    site: SiteName | ''
    url: string
    /** Of the URL, with its port. */
    host: string
    /** Names of events, as JSON. */
    events: string
    /** With which deliveries are signed; the caller's ciphertext. */
    sealedSecret: string
    /** The secret before, until `formerUntil`. */
    sealedFormer: string | null
    formerUntil: number | null
    /** Null: it is enabled. */
    disabledBy: WebhookEnd | null
    /** Since when no attempt has succeeded; null: the last one has. */
    failingSince: number | null
    /** Events that were not delivered because too many deliveries were waiting. */
    skipped: Generated<number>
    createdAt: number
    updatedAt: number
  }
  webhookDeliveries: {
    id: string
    webhookId: string
    did: Did
    event: DeliveredEvent
    /** A WebhookMessage without its time, as JSON. */
    message: string
    state: 'pending' | 'delivered' | 'given-up'
    /** Since it was created or requested again. */
    attempts: number
    createdAt: number
    nextAttemptAt: number
    /** No other process takes the row before. */
    leasedUntil: Generated<number>
    /** Of the last attempt. */
    attemptedAt: number | null
    status: number | null
    failure: DeliveryFailure | null
    durationMs: number | null
  }
}
