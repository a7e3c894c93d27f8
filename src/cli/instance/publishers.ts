import { z } from 'zod'
import { namedSite, type SiteOptions } from '#cli/account/own-sites.ts'
import { columns } from '#cli/columns.ts'
import type { CommandContext } from '#cli/command-context.ts'
import { UsageError } from '#cli/command-error.ts'
import { usedText } from '#cli/time-text.ts'
import { type InstanceOptions, openInstance } from './instance.ts'

type Options = InstanceOptions & SiteOptions

const row = z.object({
  id: z.string(),
  issuer: z.string(),
  repository: z.string(),
  ref: z.string().nullable(),
  environment: z.string().nullable(),
  scope: z.string(),
  createdAt: z.string(),
  lastUsedAt: z.string().nullable(),
})

/** Lists the publishers of a site. Throws CommandError. */
export async function listPublishers(options: Options, context: CommandContext): Promise<void> {
  const site = await namedSite(options)
  const instance = await openInstance(options, context)
  const { publishers } = await instance.ask(
    { method: 'GET', path: pathOf(site) },
    z.object({ publishers: z.array(row) }),
  )
  const { console } = context
  if (options.json) return console.say(JSON.stringify({ site, publishers }))
  for (const line of columns(publishers.map(cellsOf), console.width)) console.say(line)
  if (publishers.length === 0) console.note(`${site} has no publishers at ${instance.origin}.`)
}

function cellsOf(publisher: z.output<typeof row>): string[] {
  const { environment, id, issuer, lastUsedAt, ref, repository, scope } = publisher
  const of = [ref, environment && `environment ${environment}`].filter(Boolean).join(', ')
  const where = `${repository} of ${new URL(issuer).host}`
  return [id, scope, usedText(lastUsedAt), `${where}${of && ` (${of})`}`]
}

export interface NewPublisherOptions extends Options {
  readonly branch?: string
  readonly ref?: string
  readonly environment?: string
  readonly issuer?: string
  readonly preview?: true
}

const knownIssuers: Readonly<Record<string, string>> = {
  github: 'https://token.actions.githubusercontent.com',
  gitlab: 'https://gitlab.com',
}

/** Lets jobs of a repository deploy a site. Throws CommandError. */
export async function addPublisher(
  repository: string,
  options: NewPublisherOptions,
  context: CommandContext,
): Promise<void> {
  const { branch, environment, issuer = 'github', json, preview } = options
  const ref = options.ref ?? (branch === undefined ? undefined : `refs/heads/${branch}`)
  if (!preview && ref === undefined && environment === undefined) {
    throw new UsageError(
      'Whose jobs may publish? Name --branch or --environment; with --preview, all jobs make previews.',
    )
  }
  const site = await namedSite(options)
  const instance = await openInstance(options, context)
  const publisher = {
    ...{ repository, issuer: knownIssuers[issuer] ?? issuer },
    ...(ref !== undefined && { ref }),
    ...(environment !== undefined && { environment }),
    scope: preview ? 'preview' : 'deploy',
  }
  const added = await instance.ask({ method: 'POST', path: pathOf(site), json: publisher }, row)
  const { console } = context
  console.say(json ? JSON.stringify({ site, publisher: added }) : cellsOf(added).join('  '))
}

/** Throws CommandError. */
export async function removePublisher(
  id: string,
  options: Options,
  context: CommandContext,
): Promise<void> {
  const site = await namedSite(options)
  const instance = await openInstance(options, context)
  const path = `${pathOf(site)}/${encodeURIComponent(id)}`
  await instance.ask({ method: 'DELETE', path }, z.object({}))
  if (options.json) context.console.say(JSON.stringify({ site, removed: id }))
  else context.console.say(`Removed: ${id}.`)
}

const pathOf = (site: string): string => `/api/site/${encodeURIComponent(site)}/publishers`
