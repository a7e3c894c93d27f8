import type { Seal } from '#atproto/oauth/seal.ts'
import { ForbiddenHostError } from '#outbound/public-address.ts'
import { FetchLimitError, type SafeFetch } from '#outbound/safe-fetch.ts'
import type { DeliveryFailure } from '#site/webhook-event.ts'
import type { WebhookMessage } from '#store/webhooks/append-event.ts'
import type { DueDelivery } from '#store/webhooks/deliveries.ts'
import type { Webhook } from '#store/webhooks/webhooks.ts'
import { openOrNull } from './seal-webhooks-anew.ts'
import { signatureFields } from './sign-delivery.ts'
import { webhookContext } from './webhook-secret.ts'

/** For the whole answer: what takes longer belongs into the receiver's own queue. */
export const answerMsMax = 10_000
/** Nothing of an answer's body is read for longer than its end takes, or shown to anybody. */
const answerBytesMax = 16 * 1024
const retryAfterMsMax = 60 * 60_000

export interface SendContext {
  readonly fetch: SafeFetch
  readonly seal: Seal
  readonly labelUrl: (label: string) => string
  readonly now: () => number
  readonly elapsed: () => number
  readonly signal: AbortSignal
  readonly answerMs?: number
}

export interface Answered {
  readonly status: number | null
  readonly failure: DeliveryFailure | null
  readonly durationMs: number | null
  /** The receiver wants no earlier attempt; 0: it does not say. */
  readonly retryAfterMs: number
}

/** Sends a delivery once. Throws only when the signal aborts. */
export async function sendDelivery(delivery: DueDelivery, context: SendContext): Promise<Answered> {
  const { answerMs = answerMsMax, elapsed, fetch, labelUrl, now, seal, signal } = context
  const secrets = await secretsOf(delivery.webhook, seal, now())
  if (secrets === null) return failed('secret-lost', null)
  const body = bodyOf(delivery, labelUrl)
  const timestamp = Math.floor(now() / 1000)
  const begunAt = elapsed()
  const spent = (): number => Math.round(elapsed() - begunAt)
  const timeout = AbortSignal.timeout(answerMs)
  try {
    const answer = await fetch(delivery.webhook.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Sitehost-Webhooks/1',
        ...signatureFields({ id: delivery.id, timestamp, body }, secrets),
      },
      body,
      limits: { responseBytesMax: answerBytesMax, headersMs: answerMs },
      signal: AbortSignal.any([signal, timeout]),
    })
    await answer.body?.cancel().catch(() => undefined)
    const failure = failureOf(answer.status)
    const retryAfterMs = retryAfterOf(answer)
    return { status: answer.status, failure, durationMs: spent(), retryAfterMs }
  } catch (error) {
    signal.throwIfAborted()
    if (timeout.aborted || error instanceof FetchLimitError) return failed('timeout', spent())
    if (error instanceof ForbiddenHostError) return failed('forbidden', null)
    return failed('unreachable', spent())
  }
}

const failed = (failure: DeliveryFailure, durationMs: number | null): Answered => ({
  ...{ status: null, failure, durationMs, retryAfterMs: 0 },
})

/** Null: SECRET_KEY does not open the secret. */
async function secretsOf(webhook: Webhook, seal: Seal, now: number): Promise<string[] | null> {
  const { formerUntil, id, sealedFormer, sealedSecret } = webhook
  const hasFormer = sealedFormer !== null && formerUntil !== null && formerUntil > now
  const secret = await openOrNull(seal, sealedSecret, webhookContext(id))
  if (secret === null) return null
  const former = hasFormer ? await openOrNull(seal, sealedFormer, webhookContext(id)) : null
  return former === null ? [secret] : [secret, former]
}

/** The same for every attempt. */
export function bodyOf(
  { createdAt, event, message }: Pick<DueDelivery, 'createdAt' | 'event' | 'message'>,
  labelUrl: SendContext['labelUrl'],
): string {
  const { labels = {}, ...facts }: WebhookMessage = JSON.parse(message)
  const urls = Object.entries(labels).map(([name, label]) => [name, label && labelUrl(label)])
  const data = { ...facts, ...Object.fromEntries(urls) }
  return JSON.stringify({ type: event, timestamp: new Date(createdAt).toISOString(), data })
}

function failureOf(status: number): DeliveryFailure | null {
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400 ? 'redirect' : 'status'
}

function retryAfterOf({ headers, status }: Response): number {
  if (status !== 429 && status !== 503) return 0
  const seconds = Number(headers.get('retry-after') ?? 0)
  return Number.isFinite(seconds) ? Math.min(Math.max(0, seconds * 1000), retryAfterMsMax) : 0
}
