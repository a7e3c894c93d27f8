import type { ApiContext } from '#api/context.ts'
import type { ForeignWebhookRow } from '#api/contract/foreign-webhooks.ts'
import { foreignWebhookSentences, webhookUrlSentences } from '#api/contract/messages.ts'
import type { ListedRecord } from '#atproto/repo/account-repo.ts'
import { foreignWebhookNetwork } from '#site/namespace.ts'
import type { Did } from '#site/site-address.ts'
import { namesWithKey, type SiteName } from '#site/site-name.ts'
import type { WebhookEvent } from '#site/webhook-event.ts'
import { listPresentNames } from '#store/sites/sites.ts'
import { isSameReceiver, type Webhook } from '#store/webhooks/webhooks.ts'
import { type ForeignWebhook, parseForeignWebhook } from '#webhooks/foreign-webhook.ts'
import { type Translation, translateWebhook } from '#webhooks/translate-webhook.ts'
import { parseWebhookUrl } from '#webhooks/webhook-url.ts'

/** What a webhook of ours would be that stands for a record of another network. */
type ForeignWebhookPlan =
  | {
      readonly key: string
      /** Null: the record cannot be read. */
      readonly foreign: ForeignWebhook | null
      readonly problem: NonNullable<ForeignWebhookRow['problem']>
      /** The problem as a sentence. */
      readonly refusal: string
    }
  | {
      readonly key: string
      readonly foreign: ForeignWebhook
      readonly problem: null
      readonly url: string
      readonly host: string
      /** Empty: all sites. */
      readonly site: SiteName | ''
      readonly events: readonly WebhookEvent[]
      readonly notes: ForeignWebhookRow['notes']
    }

type PlanContext = Pick<ApiContext, 'allowPrivateHosts' | 'db'>

/** One for each record, in their order. */
export async function plansOf(
  did: Did,
  records: readonly ListedRecord[],
  { allowPrivateHosts, db }: PlanContext,
): Promise<ForeignWebhookPlan[]> {
  const read = records.map(({ rkey: key, value }) => {
    const foreign = parseForeignWebhook(value)
    return { key, foreign, translation: foreign && translateWebhook(foreign, did) }
  })
  const names = read.flatMap(({ translation }) => {
    const rkey = translation?.problem === null ? translation.rkey : null
    return rkey === null ? [] : namesWithKey(rkey)
  })
  const present = new Set(names.length === 0 ? [] : await listPresentNames(db, did, names))
  return read.map(({ key, foreign, translation }): ForeignWebhookPlan => {
    const refused = (problem: keyof typeof foreignWebhookSentences) => {
      return { key, foreign, problem, refusal: foreignWebhookSentences[problem] }
    }
    if (foreign === null || translation === null) return refused('unreadable')
    if (translation.problem !== null) return refused(translation.problem)
    const place = parseWebhookUrl(foreign.url, { allowPrivate: allowPrivateHosts })
    if ('problem' in place) {
      const refusal = webhookUrlSentences[place.problem]
      return { key, foreign, problem: 'unusable-url', refusal }
    }
    return { key, foreign, problem: null, ...place, ...partsOf(translation, present) }
  })
}

/** The site is the one to which an address with its key leads; without any, the one of ours that may come. */
function partsOf(
  { events, notes, rkey }: Extract<Translation, { problem: null }>,
  present: ReadonlySet<SiteName>,
) {
  if (rkey === null) return { site: '' as const, events, notes: [...notes] }
  const site = namesWithKey(rkey).find((name) => present.has(name))
  if (site !== undefined) return { site, events, notes: [...notes] }
  return { site: rkey, events, notes: [...notes, 'no-site' as const] }
}

/** `own`: all webhooks of the account. */
export function foreignWebhookRow(
  plan: ForeignWebhookPlan,
  own: readonly Webhook[],
): ForeignWebhookRow {
  const { foreign, key, problem } = plan
  const shared = {
    ...{ key, network: foreignWebhookNetwork },
    ...{ url: foreign?.url ?? null, scope: foreign?.scope ?? null },
    enabled: foreign?.isEnabled ?? false,
  }
  if (problem !== null) {
    return { ...shared, rkey: null, events: [], notes: [], problem, webhook: null }
  }
  const { events, notes, site } = plan
  const webhook = own.find((each) => isSameReceiver(each, plan))?.id ?? null
  return { ...shared, rkey: site || null, events: [...events], notes, problem, webhook }
}
