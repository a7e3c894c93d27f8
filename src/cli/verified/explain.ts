import type { CommandContext } from '#cli/command-context.ts'
import { parseSitePath } from '#site/path.ts'
import { type SiteAddress, siteLabel, siteUri } from '#site/site-address.ts'
import { type Explanation, explain } from '#site/visit/explain.ts'
import { explanationLines } from './explanation-lines.ts'
import { readProvenRecord } from './proven-record.ts'
import type { VerifiedSite } from './read-verified.ts'
import { placeOf, servableVerified, visitOf } from './servable-verified.ts'
import { loadPage, parseAddress, type ServedPage } from './served-page.ts'

export interface ExplainOptions {
  readonly site?: string
  readonly json?: true
}

/**
 * Says why visitors of an address get what they get, by what the site's owner has signed, and whether its host answers so.
 * Throws CommandError.
 */
export async function explainAddress(
  address: string,
  { json, site }: ExplainOptions,
  context: CommandContext,
): Promise<void> {
  const { console } = context
  const page = await loadPage(parseAddress(address), 'none', context)
  const proven = await readProvenRecord(page, site, context)
  const { explanation, problems } = await explainPage(page, proven, context)
  const headers = explanation.headers.filter(({ name }) => !ofHost.has(name))
  const { status } = page
  if (json) {
    const { cid, uri } = proven
    const { did, name } = proven.address
    const of = { address: page.url.href, did, site: name, uri, cid }
    const answered = { status, location: page.location }
    console.say(JSON.stringify({ ...of, ...explanation, headers, problems, answered }))
    return
  }
  for (const line of explanationLines({ ...explanation, headers }, proven.uri)) console.say(line)
  for (const problem of problems) console.warn(`problem: ${problem}`)
  if (status !== explanation.status) console.warn(differenceOf(page, explanation))
}

/** Only a host knows when it first had the version, and which is the site's primary address. */
const ofHost = new Set(['last-modified'])

async function explainPage({ url }: ServedPage, proven: VerifiedSite, context: CommandContext) {
  const isShared = await isUnderBaseDomain(url, proven.address, context)
  const explained = async (sized: string | null) => {
    const file = sized === null ? null : parseSitePath(sized)
    const { problems, site } = await servableVerified(proven, context, file)
    return { explanation: explain(site, visitOf(url), placeOf(url, proven, isShared)), problems }
  }
  const first = await explained(null)
  // Whether it is sent in several encodings depends on its size.
  const { file } = first.explanation
  return file === null ? first : await explained(file)
}

/** Whether other owners' sites share the host's domain: then the site has an address made of its hash there. */
async function isUnderBaseDomain(
  url: URL,
  address: SiteAddress,
  { fetch, signal }: CommandContext,
): Promise<boolean> {
  const [label = '', ...domain] = url.hostname.split('.')
  if (label.includes('--')) return true
  const own = new URL(url)
  own.hostname = `${siteLabel(address)}.${domain.join('.')}`
  try {
    const response = await fetch(own, { method: 'HEAD', signal })
    await response.body?.cancel()
    return response.headers.get('x-sitehost-record') === siteUri(address)
  } catch {
    // There is no such host.
    signal.throwIfAborted()
    return false
  }
}

function differenceOf({ location, status, url }: ServedPage, { by }: Explanation): string {
  const to = location === null ? '' : ` and sends visitors to ${location}`
  const may =
    status < 300 && by === 'nothing'
      ? 'An earlier version may have such a file: open pages get those for a day.'
      : 'It may not have the newest version yet, have another primary address for the site, or have taken it offline.'
  return `${url.host} answers ${status}${to}. ${may}`
}
