import { lookup } from 'node:dns/promises'
import type { CommandContext } from '#cli/command-context.ts'
import { CommandError, UsageError } from '#cli/command-error.ts'
import type { Instance } from '#cli/instance/instance.ts'
import { siteAddressesAt } from '#cli/instance/site-addresses.ts'
import { codeOf } from '#observe/code-of.ts'
import { type SiteAddress, siteLabel, siteUri } from '#site/site-address.ts'
import { siteFileName } from '#site/upload/path-rules.ts'

/** Where visitors are waited for: at an address, or where the instance of `findOrigin` shows the site. */
export type Wait = URL | 'instance'

/** Null: nowhere. Throws UsageError. */
export function waitOf(wait: string | true | undefined): Wait | null {
  if (wait === undefined) return null
  if (wait === true) return 'instance'
  const url = URL.canParse(wait) ? new URL(wait) : null
  if (url !== null && /^https?:$/.test(url.protocol)) return url
  throw new UsageError('--wait: expected an address that begins with https:// or http://.')
}

interface WaitParts {
  readonly site: SiteAddress
  /** The one that is known; null: none. */
  readonly instance: Instance | null
  /** The Sitehost at an origin, for the signed-in account. */
  readonly instanceAt: (origin: string) => Instance
  readonly hasAddress?: (host: string) => Promise<boolean>
}

/**
 * Where to look, before anything is published: an application of a Sitehost says where it shows the site. Throws UsageError
 * for an address where the site will not appear.
 */
export async function placeOfWait(
  wait: Wait | null,
  { hasAddress = hasAnyAddress, instance, instanceAt, site }: WaitParts,
  context: Pick<CommandContext, 'fetch' | 'signal'>,
): Promise<URL | Instance | null> {
  if (wait === null) return null
  if (wait === 'instance') {
    if (instance !== null) return instance
    throw new UsageError(
      `--wait: no address to look at. Name one, as in --wait=https://blog.example.com, or a Sitehost in SITEHOST_URL or as "instance" in ${siteFileName}.`,
    )
  }
  const seen = await headOf(wait, context)
  // It may come back while the site is published.
  if (seen === null) return wait
  const uri = siteUri(site)
  if (seen.record === uri) return wait
  if (seen.record !== null) {
    throw new UsageError(`--wait: ${wait.host} shows another site, ${seen.record}.`)
  }
  const application = instanceAt(wait.origin)
  if (await isApplication(application, site)) return application
  // A domain of the site, which it does not show yet.
  if (seen.status >= 400) return wait
  const { hostname } = belowOf(wait, site)
  // There is nothing below an IP address.
  if (hostname !== wait.hostname && (await hasAddress(hostname))) return wait
  throw new UsageError(
    `--wait: ${wait.host} shows no site of a Sitehost, and is not the domain below which one has its sites. Name an address of the site, or its Sitehost.`,
  )
}

/** The permanent address of a site at an instance with this base domain. */
export function belowOf(domain: URL, site: SiteAddress): URL {
  const url = new URL(domain)
  url.hostname = `${siteLabel(site)}.${domain.hostname}`
  return url
}

interface Seen {
  readonly status: number
  /** Address of the record that is shown, as the host says. */
  readonly record: string | null
  readonly cid: string | null
}

/** Null: it did not answer. */
export async function headOf(
  url: URL,
  { fetch, signal }: Pick<CommandContext, 'fetch' | 'signal'>,
): Promise<Seen | null> {
  try {
    const { body, headers, status } = await fetch(url, { method: 'HEAD', signal })
    await body?.cancel()
    const [record, cid] = ['x-sitehost-record', 'x-sitehost-version'].map((name) =>
      headers.get(name),
    )
    return { status, record: record ?? null, cid: cid ?? null }
  } catch {
    signal.throwIfAborted()
    return null
  }
}

/** Whether it tells the account about its sites. */
async function isApplication(instance: Instance, { name }: SiteAddress): Promise<boolean> {
  try {
    await siteAddressesAt(instance, name)
    return true
  } catch (error) {
    if (error instanceof CommandError) return false
    throw error
  }
}

async function hasAnyAddress(host: string): Promise<boolean> {
  // Loopback (RFC 6761 §6.3), whatever the DNS says.
  if (host.endsWith('.localhost')) return true
  try {
    await lookup(host)
    return true
  } catch (error) {
    return codeOf(error) !== 'ENOTFOUND'
  }
}
