import { lookup } from 'node:dns/promises'
import type { CommandContext } from '#cli/command-context.ts'
import { CommandError } from '#cli/command-error.ts'
import { readProvenRecord } from '#cli/verified/proven-record.ts'
import { readLiveCid } from '#cli/verified/read-verified.ts'
import { loadPage, parseAddress, type ServedPage } from '#cli/verified/served-page.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

/** Whether a name leads to a host, which shows the newest version of a site. */
export async function checkHost(address: string, context: CommandContext): Promise<Finding[]> {
  const url = parseAddress(/^https?:/.test(address) ? address : `https://${address}/`)
  const dns = await checkName(url.hostname)
  if (dns.level === 'problem') return [dns]
  const page = await orProblem('host', loadPage(url, 'all', context), context)
  if ('level' in page) return [dns, page]
  return [dns, await checkPage(page, context)]
}

async function checkName(host: string): Promise<Finding> {
  // Loopback (RFC 6761 §6.3), whatever the DNS says.
  if (host === 'localhost' || host.endsWith('.localhost'))
    return ok('DNS', `${host} is this machine`)
  try {
    const found = await lookup(host, { all: true })
    return ok('DNS', `${host} leads to ${found.map(({ address }) => address).join(', ')}`)
  } catch {
    return problem(
      'DNS',
      `${host} leads nowhere`,
      'add the CNAME or A record that your Sitehost shows for this domain; a new one takes a while',
    )
  }
}

async function checkPage(page: ServedPage, context: CommandContext): Promise<Finding> {
  const { host } = page.url
  if (page.record === null) {
    return problem(
      'site',
      `${host} answers ${page.status}, and shows no site of a Sitehost`,
      'map the domain to a site where you manage your domains',
    )
  }
  const proven = await orProblem('site', readProvenRecord(page, undefined, context), context)
  if ('level' in proven) return proven
  const live = proven.version === null ? await readLiveCid(proven.address, context) : proven.cid
  if (page.cid === live) return ok('site', `${host} shows the newest version of ${proven.uri}`)
  return warning(
    'site',
    `${host} shows another version of ${proven.uri} than the newest`,
    'wait a minute; then see whether its Sitehost follows your account',
  )
}

async function orProblem<T extends object>(
  about: string,
  work: Promise<T>,
  { signal }: CommandContext,
): Promise<T | Finding> {
  try {
    return await work
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof CommandError)) throw error
    return problem(about, error.lines.join(' '), 'see what the host says in a browser')
  }
}
