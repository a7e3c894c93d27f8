/** The events that a webhook can receive, by the names that its requests have (docs/webhooks.md). */
export const webhookEvents = [
  'site.published',
  'site.refused',
  'site.deleted',
  'site.taken_down',
  'publish.failed',
  'preview.made',
  'domain.verified',
  'domain.failed',
  'domain.lost',
] as const

export type WebhookEvent = (typeof webhookEvents)[number]

/** What the owner of a webhook sends it for trial. */
export const webhookTest = 'webhook.test'

export type DeliveredEvent = WebhookEvent | typeof webhookTest

/** Why a delivery's last attempt failed. `disabled`: the webhook was, before there was an answer. */
export const deliveryFailures = [
  'status',
  'redirect',
  'timeout',
  'unreachable',
  'forbidden',
  'secret-lost',
  'disabled',
] as const

export type DeliveryFailure = (typeof deliveryFailures)[number]

/** Who or what disabled a webhook: nothing was delivered for days, or its server answered 410 (gone). */
export const webhookEnds = ['owner', 'failing', 'gone'] as const

export type WebhookEnd = (typeof webhookEnds)[number]
