import { z } from 'zod'
import { columns } from '#cli/columns.ts'
import type { CommandContext } from '#cli/command-context.ts'
import type { TranslationNote, TranslationProblem } from '#webhooks/translate-webhook.ts'
import { type InstanceOptions, openInstance } from './instance.ts'
import { webhookFields } from './webhooks.ts'

const row = z.object({
  key: z.string(),
  network: z.string(),
  url: z.string().nullable(),
  scope: z.string().nullable(),
  enabled: z.boolean(),
  rkey: z.string().nullable(),
  events: z.array(z.string()),
  notes: z.array(z.string()),
  problem: z.string().nullable(),
  webhook: z.string().nullable(),
})

const path = '/api/user/foreign-webhooks'

/** Lists the account's webhooks of other networks, and what each would be here. Throws CommandError. */
export async function listForeignWebhooks(
  options: InstanceOptions,
  context: CommandContext,
): Promise<void> {
  const instance = await openInstance(options, context)
  const all = z.object({ webhooks: z.array(row), more: z.boolean() })
  const { more, webhooks } = await instance.ask({ method: 'GET', path }, all)
  const { console } = context
  if (options.json) return console.say(JSON.stringify({ webhooks, more }))
  for (const line of columns(webhooks.map(cellsOf), console.width)) console.say(line)
  for (const { key, notes } of webhooks) {
    for (const note of notes) console.note(`${key}: ${sentenceOf(notesSentences, note)}`)
  }
  if (more) console.note('There are more of them, which are not listed.')
  if (webhooks.length === 0) {
    console.note(`You have no webhooks of networks that ${instance.origin} serves.`)
  }
}

function cellsOf({ enabled, events, key, problem, rkey, url, webhook }: z.output<typeof row>) {
  const address = url ?? 'no address'
  if (problem !== null) return [key, '', '', `${address}: ${sentenceOf(problemSentences, problem)}`]
  const state = webhook === null ? (enabled ? 'on' : 'off') : `here: ${webhook}`
  return [key, rkey ?? 'all sites', state, `${address} (${events.join(', ')})`]
}

/** Adds a webhook as a record of another network says: the result is its secret alone. Throws CommandError. */
export async function bringWebhookOver(
  key: string,
  options: InstanceOptions,
  context: CommandContext,
): Promise<void> {
  const instance = await openInstance(options, context)
  const answer = z.object({
    secret: z.string(),
    webhook: webhookFields,
    notes: z.array(z.string()),
  })
  const asked = { method: 'POST', path: `${path}/bring-over`, json: { key } } as const
  const { notes, secret, webhook } = await instance.ask(asked, answer)
  const { console } = context
  if (options.json) return console.say(JSON.stringify({ secret, webhook, notes }))
  console.say(secret)
  console.note(`Added: ${webhook.id}. Keep the secret: it is not shown again.`)
  for (const note of notes) console.note(sentenceOf(notesSentences, note))
  console.note(
    'Its requests have another body and signature than before (docs/webhooks.md). Until you delete the record, its network sends its own, too.',
  )
}

const notesSentences: Readonly<Record<TranslationNote | 'no-site', string>> = {
  'other-records': 'Changes of other records than sites are not sent.',
  backlinks: 'Records of other accounts that name yours are not sent.',
  'created-or-updated': 'New sites and new versions are one event here.',
  'public-secret': 'The secret is that of the record, which everybody can read: replace it.',
  'secret-elsewhere': 'The secret is a new one: its network keeps the present one to itself.',
  'no-site': 'There is no such site here yet.',
}

const problemSentences: Readonly<
  Record<TranslationProblem | 'unreadable' | 'unusable-url', string>
> = {
  unreadable: 'its record is not a webhook',
  'other-account': 'it is about another account',
  'not-about-sites': 'it is not about sites',
  'unusable-url': 'nothing can be sent to this address',
}

/** A Sitehost may be newer, and know others. */
const sentenceOf = (known: Readonly<Record<string, string>>, code: string): string =>
  known[code] ?? code
