import type { HandlersOf } from '#api/bind-routes.ts'
import type { ApiContext } from '#api/context.ts'
import { deliveriesOfPage, formerSecretHours, hourMs, webhooksMax } from '#api/contract/limits.ts'
import { sentences, webhookUrlSentences } from '#api/contract/messages.ts'
import type { DeliveryRow, WebhookRow, webhookRoutes } from '#api/contract/webhooks.ts'
import { ApiError } from '#api/errors.ts'
import { recordEvent } from '#observe/events.ts'
import type { Did } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import { webhookTest } from '#site/webhook-event.ts'
import { inTransaction } from '#store/database/transaction.ts'
import { appendDelivery, type WebhookMessage } from '#store/webhooks/append-event.ts'
import { type Delivery, listDeliveries, requestDelivery } from '#store/webhooks/deliveries.ts'
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  findWebhook,
  listWebhooks,
  replaceSecret,
  type Webhook,
} from '#store/webhooks/webhooks.ts'
import { newWebhookSecret, webhookContext } from '#webhooks/webhook-secret.ts'
import { parseWebhookUrl } from '#webhooks/webhook-url.ts'
import { pageOf, readCursor } from './cursor.ts'
import { isoOf, isoOrNull } from './iso-of.ts'
import { siteNameOf } from './own-site.ts'

type WebhookContext = Pick<
  ApiContext,
  'allowPrivateHosts' | 'db' | 'log' | 'now' | 'wakeUps' | 'webhookSeal'
>

/** `/api/webhooks` (docs/webhooks.md). */
export function webhookHandlers(context: WebhookContext): HandlersOf<typeof webhookRoutes> {
  const { db, log, now, wakeUps, webhookSeal } = context
  /** A secret that nobody has seen, and what is stored of it. */
  const newSecret = async (id: string) => {
    const secret = newWebhookSecret()
    return { secret, sealedSecret: await webhookSeal.seal(secret, webhookContext(id)) }
  }
  const found = async (did: Did, id: string): Promise<Webhook> =>
    (await findWebhook(db, { did, id: idOf(id) })) ?? notFound()
  return {
    listWebhooks: async ({ session: { did }, answer }) => {
      const webhooks = await listWebhooks(db, did)
      return answer(200, { webhooks: webhooks.map((webhook) => webhookRow(webhook, now())) })
    },

    addWebhook: async ({ session: { did }, body, answer }) => {
      const id = crypto.randomUUID()
      const site: SiteName | '' = body.rkey === null ? '' : siteNameOf(body.rkey)
      const place = placeOf(body.url, context)
      const { secret, sealedSecret } = await newSecret(id)
      const events = [...new Set(body.events)]
      const created = { id, did, site, ...place, events, sealedSecret } as const
      const outcome = await createWebhook(db, created, { webhooksMax, now: now() })
      if (outcome !== 'created') throw new ApiError(409, sentences.webhooksMax)
      recordEvent(log, 'webhook_added', { did, site: site || null, host: place.host })
      return answer(200, { secret, webhook: webhookRow(await found(did, id), now()) })
    },

    changeWebhook: async ({ params, session: { did }, body, answer }) => {
      const { enabled, events, url } = body
      const change = {
        ...(url !== undefined && placeOf(url, context)),
        ...(events !== undefined && { events: [...new Set(events)] }),
        isEnabled: enabled,
      }
      const webhook = await changeWebhook(db, { did, id: idOf(params.id) }, change, now())
      return answer(200, webhookRow(webhook ?? notFound(), now()))
    },

    removeWebhook: async ({ params, session: { did }, answer }) => {
      const { host, id, site } = await found(did, params.id)
      if (!(await deleteWebhook(db, { did, id }))) notFound()
      recordEvent(log, 'webhook_removed', { did, site: site || null, host })
      return answer(200, { success: true })
    },

    replaceWebhookSecret: async ({ params, session: { did }, answer }) => {
      const id = idOf(params.id)
      const { secret, sealedSecret } = await newSecret(id)
      const times = { formerUntil: now() + formerSecretHours * hourMs, now: now() }
      if (!(await replaceSecret(db, { did, id }, sealedSecret, times))) notFound()
      return answer(200, { secret })
    },

    testWebhook: async ({ params, session: { did }, answer }) => {
      const { id, site } = await found(did, params.id)
      const message = { did, site: site || null, message: 'This is a test.' }
      const of = { did, webhookId: id }
      const delivery = await inTransaction(db, async (transaction) => {
        const made = await appendDelivery(transaction, of, webhookTest, message, now())
        const newest = { limit: 1, before: null }
        return made === null ? undefined : (await listDeliveries(transaction, id, newest))[0]
      })
      if (delivery === undefined) throw new ApiError(409, sentences.deliveriesMax)
      wakeUps.notify('webhooks')
      return answer(200, deliveryRow(delivery))
    },

    listDeliveries: async ({ params, query, session: { did }, answer }) => {
      const { id } = await found(did, params.id)
      const [before = null] = readCursor(query.cursor, ['string']) ?? []
      const options = { limit: deliveriesOfPage + 1, before: before as string | null }
      const rows = await listDeliveries(db, id, options)
      const { page, cursor } = pageOf(rows, deliveriesOfPage, (row) => [row.id])
      return answer(200, { deliveries: page.map(deliveryRow), cursor })
    },

    redeliver: async ({ params, session: { did }, answer }) => {
      const { id } = await found(did, params.id)
      const isDelivery = /^msg_[0-9a-f]{32}$/.test(params.delivery)
      const delivery = isDelivery
        ? await requestDelivery(db, { did, id }, params.delivery, now())
        : null
      if (delivery === null) throw new ApiError(404, sentences.deliveryNotFound)
      wakeUps.notify('webhooks')
      return answer(200, deliveryRow(delivery))
    },
  }
}

/** Checked before the database query: PostgreSQL rejects strings that hold NUL. */
const idOf = (id: string): string => (/^[0-9a-f-]{36}$/.test(id) ? id : notFound())

function notFound(): never {
  throw new ApiError(404, sentences.webhookNotFound)
}

function placeOf(
  text: string,
  { allowPrivateHosts }: WebhookContext,
): { readonly url: string; readonly host: string } {
  const place = parseWebhookUrl(text, { allowPrivate: allowPrivateHosts })
  if ('problem' in place) throw new ApiError(400, webhookUrlSentences[place.problem])
  return place
}

export function webhookRow(webhook: Webhook, now: number): WebhookRow {
  const { createdAt, disabledBy, events, failingSince, formerUntil, id } = webhook
  const isFormer = formerUntil !== null && formerUntil > now
  return {
    ...{ id, url: webhook.url, rkey: webhook.site || null, events: [...events] },
    ...{ enabled: disabledBy === null, disabledBy, failingSince: isoOrNull(failingSince) },
    skipped: webhook.skipped,
    formerSecretUntil: isFormer ? isoOf(formerUntil) : null,
    createdAt: isoOf(createdAt),
    updatedAt: isoOf(webhook.updatedAt),
  }
}

function deliveryRow(delivery: Delivery): DeliveryRow {
  const { attemptedAt, attempts, createdAt, durationMs, event, failure, id, state } = delivery
  const { site }: WebhookMessage = JSON.parse(delivery.message)
  return {
    ...{ id, event, rkey: site, state, attempts, createdAt: isoOf(createdAt) },
    attemptedAt: isoOrNull(attemptedAt),
    nextAttemptAt: state === 'pending' ? isoOf(delivery.nextAttemptAt) : null,
    ...{ status: delivery.status, failure, durationMs },
  }
}
