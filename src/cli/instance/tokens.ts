import { z } from 'zod'
import { namedSite, type SiteOptions } from '#cli/account/own-sites.ts'
import { columns } from '#cli/columns.ts'
import type { CommandContext } from '#cli/command-context.ts'
import { UsageError } from '#cli/command-error.ts'
import { dayText, usedText } from '#cli/time-text.ts'
import { deployTokenDaysDefault, deployTokenDaysMax } from '#site/limits.ts'
import { type InstanceOptions, openInstance } from './instance.ts'

type Options = InstanceOptions & SiteOptions

const row = z.object({
  id: z.string(),
  name: z.string(),
  scope: z.string(),
  createdAt: z.string(),
  expiresAt: z.string(),
  lastUsedAt: z.string().nullable(),
})

/** Lists the deploy tokens of a site. Throws CommandError. */
export async function listTokens(options: Options, context: CommandContext): Promise<void> {
  const site = await namedSite(options)
  const instance = await openInstance(options, context)
  const { tokens } = await instance.ask(
    { method: 'GET', path: pathOf(site) },
    z.object({ tokens: z.array(row) }),
  )
  const { console } = context
  if (options.json) return console.say(JSON.stringify({ site, tokens }))
  for (const line of columns(tokens.map(cellsOf), console.width)) console.say(line)
  if (tokens.length === 0) console.note(`${site} has no deploy tokens at ${instance.origin}.`)
}

const cellsOf = ({ expiresAt, id, lastUsedAt, name, scope }: z.output<typeof row>) => [
  ...[id, scope, `until ${dayText(expiresAt)}`, usedText(lastUsedAt), name],
]

export interface NewTokenOptions extends Options {
  readonly preview?: true
  readonly days?: string
}

/** Throws UsageError. */
function daysOf(text: string | undefined): number {
  if (text === undefined) return deployTokenDaysDefault
  const days = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (days >= 1 && days <= deployTokenDaysMax) return days
  throw new UsageError(`--days: expected a number from 1 to ${deployTokenDaysMax}.`)
}

/** Creates a deploy token of a site: the result is its secret alone. Throws CommandError. */
export async function createToken(
  name: string,
  options: NewTokenOptions,
  context: CommandContext,
): Promise<void> {
  const { json, preview } = options
  const days = daysOf(options.days)
  const site = await namedSite(options)
  const instance = await openInstance(options, context)
  const scope = preview ? 'preview' : 'deploy'
  const created = await instance.ask(
    { method: 'POST', path: pathOf(site), json: { name, scope, expiresInDays: days } },
    z.object({ secret: z.string(), token: row }),
  )
  const { console } = context
  if (json) return console.say(JSON.stringify({ site, ...created }))
  console.say(created.secret)
  console.note(
    `This is shown once. It ${preview ? 'makes previews' : 'publishes'} until ${dayText(created.token.expiresAt)}: keep it as a secret of the job, in SITEHOST_TOKEN.`,
  )
}

/** Throws CommandError. */
export async function revokeToken(
  id: string,
  options: Options,
  context: CommandContext,
): Promise<void> {
  const site = await namedSite(options)
  const instance = await openInstance(options, context)
  const path = `${pathOf(site)}/${encodeURIComponent(id)}`
  await instance.ask({ method: 'DELETE', path }, z.object({}))
  if (options.json) context.console.say(JSON.stringify({ site, revoked: id }))
  else context.console.say(`Revoked: ${id}.`)
}

const pathOf = (site: string): string => `/api/site/${encodeURIComponent(site)}/tokens`
