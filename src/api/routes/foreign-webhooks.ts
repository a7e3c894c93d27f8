import type { HandlersOf } from '#api/bind-routes.ts'
import { ConcurrencyLimit } from '#api/concurrency-limit.ts'
import type { ApiContext } from '#api/context.ts'
import type { foreignWebhookRoutes } from '#api/contract/foreign-webhooks.ts'
import { foreignWebhooksMax, webhooksMax } from '#api/contract/limits.ts'
import { sentences } from '#api/contract/messages.ts'
import { ApiError } from '#api/errors.ts'
import { recordEvent } from '#observe/events.ts'
import { foreignWebhookCollection, foreignWebhookNetwork } from '#site/namespace.ts'
import { parseSiteName } from '#site/site-name.ts'
import { createWebhook, findWebhook, listWebhooks } from '#store/webhooks/webhooks.ts'
import { newWebhookSecret, webhookContext, webhookSecretOf } from '#webhooks/webhook-secret.ts'
import { foreignWebhookRow, plansOf } from './foreign-webhook-plans.ts'
import { atServer } from './own-site.ts'
import { webhookRow } from './webhooks.ts'

/** For all records of a list. One has some twenty values, and an address of 2048 characters counts as 26 more. */
const listedValuesMax = 20_000

/** Per account, whose server may send a hundred records of 1 MiB. */
const listsAtOnceMax = 2

/** `/api/user/foreign-webhooks`: webhooks that are records of another network, whose own service sends for them. */
export function foreignWebhookHandlers(
  context: ApiContext,
): HandlersOf<typeof foreignWebhookRoutes> {
  const { alsoServe = [], db, log, now, webhookSeal } = context
  const isServed = alsoServe.some(({ name }) => name === foreignWebhookNetwork)
  const listing = new ConcurrencyLimit({
    max: listsAtOnceMax,
    sentence: sentences.webhookListsBusy,
    retryAfterSeconds: 2,
  })
  return {
    listForeignWebhooks: async ({ session: { did }, answer }) => {
      if (!isServed) return answer(200, { webhooks: [], more: false })
      using _ = await listing.acquire(did)
      const options = { recordsMax: foreignWebhooksMax + 1, valuesMax: listedValuesMax }
      const records = await atServer(did, 'list webhooks', context, ({ repo }) =>
        repo.listRecords(foreignWebhookCollection, options),
      )
      const plans = await plansOf(did, records.slice(0, foreignWebhooksMax), context)
      const own = await listWebhooks(db, did)
      const webhooks = plans.map((plan) => foreignWebhookRow(plan, own))
      return answer(200, { webhooks, more: records.length > foreignWebhooksMax })
    },

    bringWebhookOver: async ({ body, session: { did }, answer }) => {
      const key = parseSiteName(body.key)
      if (!isServed || key === null) throw notFound()
      const record = await atServer(did, 'read webhook', context, ({ repo }) =>
        repo.findRecord(foreignWebhookCollection, key),
      )
      const [plan] = await plansOf(did, record === null ? [] : [record], context)
      if (plan === undefined) throw notFound()
      if (plan.problem !== null) throw new ApiError(400, plan.refusal)
      const { events, foreign, host, notes, site, url } = plan
      const id = crypto.randomUUID()
      const secret = foreign.secret === null ? newWebhookSecret() : webhookSecretOf(foreign.secret)
      const sealedSecret = await webhookSeal.seal(secret, webhookContext(id))
      const disabledBy = foreign.isEnabled ? null : 'owner'
      const created = { id, did, site, url, host, events, sealedSecret, disabledBy } as const
      const options = { webhooksMax, now: now(), isOnly: true } as const
      const outcome = await createWebhook(db, created, options)
      if (outcome === 'present') throw new ApiError(409, sentences.foreignWebhookPresent)
      if (outcome === 'too-many') throw new ApiError(409, sentences.webhooksMax)
      recordEvent(log, 'webhook_added', { did, site: site || null, host })
      const webhook = await findWebhook(db, { did, id })
      if (webhook === null) throw notFound()
      return answer(200, { secret, webhook: webhookRow(webhook, now()), notes })
    },
  }
}

const notFound = (): ApiError => new ApiError(404, sentences.foreignWebhookNotFound)
