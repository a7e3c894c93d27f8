import { z } from 'zod'
import { namedSite, type SiteOptions } from '#cli/account/own-sites.ts'
import { columns } from '#cli/columns.ts'
import type { CommandContext } from '#cli/command-context.ts'
import { CommandError, UsageError } from '#cli/command-error.ts'
import { parseSubdomainLabel } from '#site/subdomain-label.ts'
import { certificateRow, certificateText, certificateWarning } from './certificate-text.ts'
import { type Instance, type InstanceOptions, openInstance } from './instance.ts'

const customRow = z.object({
  id: z.string(),
  domain: z.string(),
  verified: z.boolean(),
  rkey: z.string().nullable(),
  warning: z.string().nullable(),
  certificate: certificateRow.nullable().optional(),
  dns: z.object({
    txt: z.object({ name: z.string(), value: z.string() }),
    cname: z.object({ name: z.string(), target: z.string() }),
  }),
})

const lists = z.object({
  sitehostDomains: z.array(z.object({ domain: z.string(), rkey: z.string() })),
  customDomains: z.array(customRow),
})

type CustomRow = z.output<typeof customRow>

const done = z.object({})

/** Lists the names and domains of the account. Throws CommandError. */
export async function listDomains(
  options: InstanceOptions,
  context: CommandContext,
): Promise<void> {
  const instance = await openInstance(options, context)
  const { customDomains, sitehostDomains } = await readDomains(instance)
  const { console } = context
  if (options.json) return console.say(JSON.stringify({ sitehostDomains, customDomains }))
  const rows = [
    ...sitehostDomains.map(({ domain, rkey }) => cellsOf(domain, rkey || null, 'live')),
    ...customDomains.map(({ certificate, domain, rkey, verified }) => [
      ...cellsOf(domain, rkey, verified ? 'verified' : 'not verified'),
      ...(certificate ? [certificateText(certificate)] : []),
    ]),
  ]
  const lines = columns(rows, console.width)
  for (const line of lines) console.say(line)
  for (const { certificate, warning } of customDomains) {
    if (warning !== null) console.warn(warning)
    const refused = certificate ? certificateWarning(certificate) : null
    if (refused !== null) console.warn(refused)
  }
  if (lines.length === 0) {
    const advice = 'Claim one with: sitehost domains claim <name>'
    console.note(`You have no names or domains at ${instance.origin}. ${advice}`)
  }
}

const readDomains = async (instance: Instance) =>
  await instance.ask({ method: 'GET', path: '/api/user/domains' }, lists)

const cellsOf = (domain: string, site: string | null, state: string): string[] => [
  ...[domain, site ?? 'leads to no site', site === null && state === 'live' ? 'claimed' : state],
]

/** Claims a name below the instance's domain. Throws CommandError. */
export async function claimName(
  handle: string,
  options: InstanceOptions,
  context: CommandContext,
): Promise<void> {
  if (parseSubdomainLabel(handle) === null) throw new UsageError(notAName(handle))
  const instance = await openInstance(options, context)
  const { domain } = await instance.ask(
    { method: 'POST', path: '/api/domain/claim', json: { handle } },
    z.object({ domain: z.string() }),
  )
  const { console } = context
  if (options.json) return console.say(JSON.stringify({ domain }))
  console.say(domain)
  console.note(`Point it at a site: sitehost domains map ${domain} --site <name>`)
}

const notAName = (name: string): string =>
  `${JSON.stringify(name)} cannot be claimed: a name has 3 to 63 letters (a to z), digits and single hyphens between them, and is not reserved. A domain of your own: sitehost domains add <domain>`

/** Adds a domain of the owner's, and says which records it needs. Throws CommandError. */
export async function addDomain(
  domain: string,
  options: InstanceOptions,
  context: CommandContext,
): Promise<void> {
  const instance = await openInstance(options, context)
  const { id } = await instance.ask(
    { method: 'POST', path: '/api/domain/custom/add', json: { domain } },
    z.object({ id: z.string() }),
  )
  const row = (await readDomains(instance)).customDomains.find((each) => each.id === id)
  if (row === undefined) throw new CommandError(`${domain} was added, and is gone again.`)
  const { console } = context
  if (options.json) return console.say(JSON.stringify(row))
  const { cname, txt } = row.dns
  console.say(`${txt.name} TXT ${txt.value}`)
  console.say(`${cname.name} CNAME ${cname.target}`)
  console.note(`Set these records, then: sitehost domains verify ${row.domain}`)
}

/** Looks up the domain's record now. Throws CommandError if it does not name the account. */
export async function verifyDomain(
  domain: string,
  options: InstanceOptions,
  context: CommandContext,
): Promise<void> {
  const instance = await openInstance(options, context)
  const { id } = customOf(domain, (await readDomains(instance)).customDomains)
  const { error, found, verified } = await instance.ask(
    { method: 'POST', path: '/api/domain/custom/verify', json: { id } },
    z.object({ verified: z.boolean(), error: z.string().nullable(), found: z.boolean() }),
  )
  const { console } = context
  if (options.json) console.say(JSON.stringify({ domain, verified, found, error }))
  if (!verified) throw new CommandError(error ?? `${domain} is not verified.`)
  if (!options.json) console.say(`${domain} is verified.`)
}

export interface MapOptions extends InstanceOptions, SiteOptions {
  readonly none?: true
}

/** Points a name or domain at a site, or at none. Throws CommandError. */
export async function mapDomain(
  domain: string,
  options: MapOptions,
  context: CommandContext,
): Promise<void> {
  const siteRkey = options.none ? null : await namedSite(options)
  const instance = await openInstance(options, context)
  const found = placeOf(domain, await readDomains(instance))
  await instance.ask(
    found.id === null
      ? {
          ...{ method: 'POST', path: '/api/domain/sitehost/map-site' },
          json: { domain: found.domain, siteRkey },
        }
      : { method: 'POST', path: `/api/domain/custom/${found.id}/map-site`, json: { siteRkey } },
    done,
  )
  const { console } = context
  if (options.json) console.say(JSON.stringify({ domain: found.domain, site: siteRkey }))
  else console.say(`${found.domain} leads to ${siteRkey ?? 'no site'}.`)
}

export interface ReleaseOptions extends InstanceOptions {
  readonly yes?: true
}

/** Gives a name or domain up. On a terminal it asks before. Throws CommandError. */
export async function releaseDomain(
  domain: string,
  options: ReleaseOptions,
  context: CommandContext,
): Promise<void> {
  const { console, signal } = context
  const instance = await openInstance(options, context)
  const found = placeOf(domain, await readDomains(instance))
  if (console.isInteractive && !options.yes) {
    const answer = await console.ask(
      `Visitors get no site at ${found.domain} then. Release it? [y/N] `,
      signal,
    )
    if (!/^y(es)?$/i.test(answer)) throw new CommandError('Nothing was changed.')
  }
  const path =
    found.id === null
      ? `/api/domain/sitehost/${encodeURIComponent(found.domain)}`
      : `/api/domain/custom/${found.id}`
  await instance.ask({ method: 'DELETE', path }, done)
  if (options.json) console.say(JSON.stringify({ released: found.domain }))
  else console.say(`Released: ${found.domain}.`)
}

/** A claimed name may be given without the instance's domain. `id`: of a custom domain. */
function placeOf(
  given: string,
  { customDomains, sitehostDomains }: z.output<typeof lists>,
): { readonly domain: string; readonly id: string | null } {
  const name = given.toLowerCase()
  const claimed = sitehostDomains.find(
    ({ domain }) => domain === name || domain.split('.', 1)[0] === name,
  )
  if (claimed !== undefined) return { domain: claimed.domain, id: null }
  return customOf(given, customDomains)
}

function customOf(given: string, rows: readonly CustomRow[]): CustomRow {
  const name = new URL(`https://${hostOf(given)}`).hostname
  const found = rows.find(({ domain }) => domain === name)
  if (found !== undefined) return found
  throw new CommandError(`${given} is none of your domains here. See: sitehost domains list`)
}

function hostOf(given: string): string {
  const host = given.replace(/\.$/, '')
  if (!/[\s/@?#:\\]/.test(host) && URL.canParse(`https://${host}`)) return host
  throw new UsageError(`${JSON.stringify(given)} is no domain.`)
}
