import type { WebhookEvent } from '#site/webhook-event.ts'
import type { Db } from '#store/database/database.ts'
import { appendWebhookEvent, sentText } from '#store/webhooks/append-event.ts'
import type { CustomDomain } from './custom-domains.ts'

/** Enqueues deliveries about a custom domain for its owner's webhooks. */
export async function appendDomainEvent(
  db: Db,
  event: Extract<WebhookEvent, `domain.${string}`>,
  {
    did,
    domain,
    ownershipWarning,
    site,
  }: Pick<CustomDomain, 'did' | 'domain' | 'ownershipWarning' | 'site'>,
  now: number,
): Promise<void> {
  const warning = ownershipWarning === null ? null : sentText(ownershipWarning)
  await appendWebhookEvent(db, event, { did, site, domain, warning }, now)
}
