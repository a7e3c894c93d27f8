import { z } from 'zod'
import { columns } from '#cli/columns.ts'
import type { CommandContext } from '#cli/command-context.ts'
import { UsageError } from '#cli/command-error.ts'
import { timeText } from '#cli/time-text.ts'
import { webhookEvents } from '#site/webhook-event.ts'
import { type InstanceOptions, openInstance } from './instance.ts'

export const webhookFields = z.object({
  id: z.string(),
  url: z.string(),
  rkey: z.string().nullable(),
  events: z.array(z.string()),
  enabled: z.boolean(),
  disabledBy: z.string().nullable(),
  failingSince: z.string().nullable(),
  skipped: z.number(),
  createdAt: z.string(),
})

const deliveryRow = z.object({
  id: z.string(),
  event: z.string(),
  rkey: z.string().nullable(),
  state: z.string(),
  attempts: z.number(),
  createdAt: z.string(),
  status: z.number().nullable(),
  failure: z.string().nullable(),
})

/** Lists the account's webhooks. Throws CommandError. */
export async function listWebhooks(
  options: InstanceOptions,
  context: CommandContext,
): Promise<void> {
  const instance = await openInstance(options, context)
  const all = z.object({ webhooks: z.array(webhookFields) })
  const { webhooks } = await instance.ask({ method: 'GET', path }, all)
  const { console } = context
  if (options.json) return console.say(JSON.stringify({ webhooks }))
  for (const line of columns(webhooks.map(cellsOf), console.width)) console.say(line)
  if (webhooks.length === 0) console.note(`You have no webhooks at ${instance.origin}.`)
}

function cellsOf({
  disabledBy,
  events,
  failingSince,
  id,
  rkey,
  url,
}: z.output<typeof webhookFields>) {
  const failing = failingSince === null ? 'on' : `failing since ${timeText(failingSince)}`
  const state = disabledBy === null ? failing : `off (${disabledBy})`
  return [id, rkey ?? 'all sites', state, `${url} (${events.join(', ')})`]
}

export interface NewWebhookOptions extends InstanceOptions {
  readonly site?: string
  readonly events?: string
}

/** Adds a webhook: the result is its secret alone. Throws CommandError. */
export async function addWebhook(
  url: string,
  { events, site, ...options }: NewWebhookOptions,
  context: CommandContext,
): Promise<void> {
  const json = { url, rkey: site ?? null, events: eventsOf(events) }
  const instance = await openInstance(options, context)
  const answer = z.object({ secret: z.string(), webhook: webhookFields })
  const { secret, webhook } = await instance.ask({ method: 'POST', path, json }, answer)
  const { console } = context
  if (options.json) return console.say(JSON.stringify({ secret, webhook }))
  console.say(secret)
  console.note(`Added: ${webhook.id}. Keep the secret: it is not shown again.`)
}

/** Throws UsageError. */
function eventsOf(text: string | undefined): string[] {
  if (text === undefined) return [...webhookEvents]
  const events = text.split(',').map((event) => event.trim())
  const known: readonly string[] = webhookEvents
  const unknown = events.find((event) => !known.includes(event))
  if (unknown === undefined) return events
  throw new UsageError(`--events: "${unknown}" is none of ${webhookEvents.join(', ')}.`)
}

/** Throws CommandError. */
export async function removeWebhook(
  id: string,
  options: InstanceOptions,
  context: CommandContext,
): Promise<void> {
  const instance = await openInstance(options, context)
  await instance.ask({ method: 'DELETE', path: pathOf(id) }, z.object({}))
  context.console.say(options.json ? JSON.stringify({ removed: id }) : `Removed: ${id}.`)
}

/** Sends a test. Throws CommandError. */
export async function testWebhook(
  id: string,
  options: InstanceOptions,
  context: CommandContext,
): Promise<void> {
  const instance = await openInstance(options, context)
  const delivery = await instance.ask({ method: 'POST', path: `${pathOf(id)}/test` }, deliveryRow)
  const { console } = context
  if (options.json) return console.say(JSON.stringify({ delivery }))
  console.say(`Sending: ${delivery.id}. \`sitehost webhooks log ${id}\` shows its result.`)
}

/** Lists the deliveries of a webhook. Throws CommandError. */
export async function showDeliveries(
  id: string,
  options: InstanceOptions,
  context: CommandContext,
): Promise<void> {
  const instance = await openInstance(options, context)
  const { deliveries } = await instance.ask(
    { method: 'GET', path: `${pathOf(id)}/deliveries` },
    z.object({ deliveries: z.array(deliveryRow) }),
  )
  const { console } = context
  if (options.json) return console.say(JSON.stringify({ deliveries }))
  for (const line of columns(deliveries.map(deliveryCells), console.width)) console.say(line)
  if (deliveries.length === 0) console.note('It has no deliveries of the last 30 days.')
}

function deliveryCells(delivery: z.output<typeof deliveryRow>): string[] {
  const { attempts, createdAt, event, failure, rkey, state, status } = delivery
  const end = status === null ? failure : String(status)
  return [timeText(createdAt), event, rkey ?? '', state, `${end ?? ''} (${attempts})`]
}

const path = '/api/webhooks'
const pathOf = (id: string): string => `${path}/${encodeURIComponent(id)}`
