import { z } from 'zod'
import { foreignNames } from '#site/namespace.ts'
import { webhookEvents } from '#site/webhook-event.ts'
import { translationNotes, translationProblems } from '#webhooks/translate-webhook.ts'
import { json } from './answers.ts'
import { foreignWebhooksMax } from './limits.ts'
import { foreignWebhookSentences, sentences } from './messages.ts'
import { accountServerFailures, defineRoute } from './route.ts'
import { rkey, secret, urlRefusals, webhookRow } from './webhooks.ts'

const ofSection = {
  section: 'ours',
  access: 'signed-in',
  takesServiceAuth: true,
  limit: 'foreignWebhook',
} as const

const key = z.string().meta({ description: 'Key of the record', examples: ['3mkq2vtpdbk2c'] })

const foreignWebhookNotes = [...translationNotes, 'no-site'] as const

const notes = z
  .array(z.enum(foreignWebhookNotes))
  .describe('What a webhook of ours says otherwise, or not at all (docs/webhooks.md)')

const foreignWebhookProblems = ['unreadable', ...translationProblems, 'unusable-url'] as const

const foreignWebhookRow = z.strictObject({
  key,
  network: z.enum(foreignNames),
  url: z.string().nullable().describe('Null: the record cannot be read'),
  scope: z.string().nullable().describe('As the record has it'),
  enabled: z.boolean(),
  rkey: rkey.describe('The site that a webhook of ours would be for; null: all sites'),
  events: z.array(z.enum(webhookEvents)).describe('Which it would receive'),
  notes,
  problem: z.enum(foreignWebhookProblems).nullable().describe('Why it cannot be brought over'),
  webhook: z.string().nullable().describe('A webhook of ours with its URL, for the same sites'),
})

export type ForeignWebhookRow = z.output<typeof foreignWebhookRow>

/** Webhooks that are records of another network, and webhooks of ours made of them. */
export const foreignWebhookRoutes = {
  listForeignWebhooks: defineRoute({
    ...ofSection,
    method: 'GET',
    path: '/api/user/foreign-webhooks',
    summary: 'The account’s webhooks of other networks that are served here (`ALSO_SERVE`)',
    details: `As the records \`place.wisp.v2.wh\` say now; nothing is sent for them here. The first ${foreignWebhooksMax} of them.`,
    answers: {
      200: json(
        'Them',
        z.strictObject({
          webhooks: z.array(foreignWebhookRow),
          more: z.boolean().describe('The account has more of them'),
        }),
      ),
    },
    failures: {
      ...accountServerFailures,
      429: [sentences.webhookListsBusy, ...accountServerFailures[429]],
    },
  }),
  bringWebhookOver: defineRoute({
    ...ofSection,
    confirmsGrant: true,
    method: 'POST',
    path: '/api/user/foreign-webhooks/bring-over',
    summary: 'Adds a webhook as one of another network says',
    details:
      'With its URL, its state, and its sites and events as ours say them. Its secret is that of the record, else a new one; it is sent once. The record stays, and its network goes on sending.',
    body: { kind: 'json', schema: z.object({ key }) },
    answers: { 200: json('It', z.strictObject({ secret, webhook: webhookRow, notes })) },
    failures: {
      429: accountServerFailures[429],
      502: accountServerFailures[502],
      400: [...urlRefusals, ...Object.values(foreignWebhookSentences)],
      404: [sentences.foreignWebhookNotFound],
      409: [sentences.webhooksMax, sentences.foreignWebhookPresent],
    },
  }),
}
