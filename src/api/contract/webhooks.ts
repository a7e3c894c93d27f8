import { z } from 'zod'
import { deliveryFailures, webhookEnds, webhookEvents, webhookTest } from '#site/webhook-event.ts'
import { json } from './answers.ts'
import { formerSecretHours, webhooksMax } from './limits.ts'
import { literals, sentences } from './messages.ts'
import { defineRoute } from './route.ts'
import { count, done, instant, siteName } from './rows.ts'

const id = z.string()

const ofSection = {
  section: 'ours',
  access: 'signed-in',
  takesServiceAuth: true,
  limit: 'webhook',
} as const

const ofWebhook = { ...ofSection, params: { id } } as const

const url = z.string().meta({ examples: ['https://hooks.example.com/sitehost'] })
export const rkey = siteName.nullable().describe('Null: all sites of the account')
const events = z.array(z.enum(webhookEvents)).min(1).max(webhookEvents.length)

export const webhookRow = z.strictObject({
  id,
  url,
  rkey,
  events,
  enabled: z.boolean(),
  disabledBy: z
    .enum(webhookEnds)
    .nullable()
    .describe('`failing`: nothing was delivered for three days; `gone`: it answered 410'),
  failingSince: instant
    .nullable()
    .describe('Null: the last attempt was answered, or none was made'),
  skipped: count.describe('Events that were left out because too many deliveries were waiting'),
  formerSecretUntil: instant.nullable().describe('Until then the secret before signs, too'),
  createdAt: instant,
  updatedAt: instant,
})

export type WebhookRow = z.output<typeof webhookRow>

const deliveryRow = z.strictObject({
  id: id.describe('Sent as `webhook-id`'),
  event: z.enum([...webhookEvents, webhookTest]),
  rkey: siteName.nullable(),
  state: z.enum(['pending', 'delivered', 'given-up']),
  attempts: count,
  createdAt: instant,
  attemptedAt: instant.nullable(),
  nextAttemptAt: instant.nullable().describe('Null: it has ended'),
  status: z.int().nullable().describe('Of the last answer; null: there was none'),
  failure: z.enum(deliveryFailures).nullable(),
  durationMs: count.nullable(),
})

export type DeliveryRow = z.output<typeof deliveryRow>

export const secret = z
  .string()
  .describe('With which deliveries are signed')
  .meta({ examples: ['whsec_…'] })

export const urlRefusals = [
  sentences.webhookNoUrl,
  sentences.webhookNoHttps,
  sentences.webhookCredentials,
  sentences.webhookPort,
  sentences.webhookPrivate,
]

/** Webhooks: URLs of the account’s own that receive the events of its sites (docs/webhooks.md). */
export const webhookRoutes = {
  listWebhooks: defineRoute({
    ...ofSection,
    method: 'GET',
    path: '/api/webhooks',
    summary: 'The webhooks of the account, newest first',
    details: 'Without their secrets.',
    answers: { 200: json('Them', z.strictObject({ webhooks: z.array(webhookRow) })) },
  }),
  addWebhook: defineRoute({
    ...ofSection,
    confirmsGrant: true,
    method: 'POST',
    path: '/api/webhooks',
    summary: 'Adds a webhook',
    details: `Its secret is sent once. At most ${webhooksMax} an account.`,
    body: {
      kind: 'json',
      schema: z.object({ url, rkey: rkey.default(null), events }),
    },
    answers: { 200: json('It', z.strictObject({ secret, webhook: webhookRow })) },
    failures: {
      400: urlRefusals,
      404: [literals.siteNotFound],
      409: [sentences.webhooksMax],
    },
  }),
  changeWebhook: defineRoute({
    ...ofWebhook,
    method: 'PATCH',
    path: '/api/webhooks/:id',
    summary: 'Changes a webhook; what is left out stays',
    details: 'Disabling it gives up what waits.',
    body: {
      kind: 'json',
      schema: z.object({
        url: url.optional(),
        events: events.optional(),
        enabled: z.boolean().optional(),
      }),
    },
    answers: { 200: json('It', webhookRow) },
    failures: { 400: urlRefusals, 404: [sentences.webhookNotFound] },
  }),
  removeWebhook: defineRoute({
    ...ofWebhook,
    method: 'DELETE',
    path: '/api/webhooks/:id',
    summary: 'Removes a webhook with its deliveries',
    answers: { 200: done },
    failures: { 404: [sentences.webhookNotFound] },
  }),
  replaceWebhookSecret: defineRoute({
    ...ofWebhook,
    confirmsGrant: true,
    method: 'POST',
    path: '/api/webhooks/:id/secret',
    summary: 'Replaces the secret of a webhook',
    details: `The new one is sent once. For ${formerSecretHours} hours deliveries are signed with both.`,
    answers: { 200: json('The new one', z.strictObject({ secret })) },
    failures: { 404: [sentences.webhookNotFound] },
  }),
  testWebhook: defineRoute({
    ...ofWebhook,
    limit: 'webhookDelivery',
    method: 'POST',
    path: '/api/webhooks/:id/test',
    summary: `Sends \`${webhookTest}\` to a webhook, also to a disabled one`,
    answers: { 200: json('The delivery', deliveryRow) },
    failures: { 404: [sentences.webhookNotFound], 409: [sentences.deliveriesMax] },
  }),
  listDeliveries: defineRoute({
    ...ofWebhook,
    method: 'GET',
    path: '/api/webhooks/:id/deliveries',
    summary: 'The deliveries of a webhook, newest first',
    details: 'Of the last 30 days, 200 at most. Nothing of an answer but its status is kept.',
    query: { cursor: z.string().optional() },
    answers: {
      200: json(
        'Some of it',
        z.strictObject({
          deliveries: z.array(deliveryRow),
          cursor: z.string().nullable().describe('Of the next ones; null: there are no more'),
        }),
      ),
    },
    failures: { 400: [sentences.badCursor], 404: [sentences.webhookNotFound] },
  }),
  redeliver: defineRoute({
    ...ofSection,
    params: { id, delivery: id },
    limit: 'webhookDelivery',
    method: 'POST',
    path: '/api/webhooks/:id/deliveries/:delivery/redeliver',
    summary: 'Sends a delivery again, with the same id',
    answers: { 200: json('It', deliveryRow) },
    failures: { 404: [sentences.webhookNotFound, sentences.deliveryNotFound] },
  }),
}
