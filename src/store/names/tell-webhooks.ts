import type { WebhookEvent } from '#site/webhook-event.ts'
import type { Db } from '#store/database/database.ts'
import { appendWebhookEvent, told } from '#store/webhooks/append-event.ts'
import type { CustomDomain } from './custom-domains.ts'

/** Tells the owner's webhooks about a custom domain. */
export async function tellWebhooks(
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
  const warning = ownershipWarning === null ? null : told(ownershipWarning)
  await appendWebhookEvent(db, event, { did, site, domain, warning }, now)
}
