import type { ApiContext } from '#api/context.ts'
import { sentences } from '#api/contract/messages.ts'
import { ApiError } from '#api/errors.ts'
import { runInSlices } from '#concurrency/yield-event-loop.ts'
import { isForCertificates, isForDomainProof, parseRequestPath } from '#site/request-path.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { type Explanation, explain } from '#site/visit/explain.ts'
import { servableSiteSteps } from '#site/visit/servable-site.ts'
import { findTakedown } from '#store/moderation/takedowns.ts'
import { findSiteByHost } from '#store/names/hosts.ts'
import { findPrimaryDomain } from '#store/names/primary-domain.ts'
import { contentOf } from './versions/version-content.ts'

type ExplainContext = Pick<ApiContext, 'baseDomain' | 'db' | 'labelUrl' | 'log' | 'now' | 'siteUrl'>

type Explained = Omit<Explanation, 'by'> & {
  readonly address: string
  readonly by: Exclude<Explanation['by'], 'earlier-asset'> | 'primary' | 'takedown'
}

/** Why visitors of this address of the site get what they get. Throws ApiError 400, 404 and 410. */
export async function explainAddress(
  site: SiteAddress,
  input: string,
  context: ExplainContext,
): Promise<Explained> {
  const { baseDomain, db, now } = context
  const { snapshot } = await contentOf(site, 'live', context)
  const primary = await findPrimaryDomain(db, site)
  const own = new URL(context.siteUrl(site))
  const main = withHost(own, primary ?? own.hostname)
  const url = input.startsWith('/') ? URL.parse(main.origin + input) : URL.parse(input)
  if (url === null || !/^https?:$/.test(url.protocol)) throw notOfSite()
  const host = url.hostname.replace(/\.$/, '')
  const isOwnLabel = host === own.hostname
  if (!isOwnLabel && !(await isMapped(host, site, db))) throw notOfSite()

  const { pathname, search } = url
  const address = withHost(own, host).origin + pathname + search
  const takedown = await findTakedown(db, site)
  if (takedown !== null) {
    return { ...undecided, address, status: takedown.status, by: 'takedown' }
  }
  const isUnderBaseDomain = host.endsWith(`.${baseDomain}`)
  const isProof = isUnderBaseDomain && isForDomainProof(pathname)
  const isRedirected = !isProof && redirects(pathname)
  if (!isOwnLabel && primary !== null && primary !== host && isRedirected) {
    const location = main.origin + pathname + search
    return { ...undecided, address, status: 308, by: 'primary', location }
  }
  const liveSince = Math.min(snapshot.publishedAt, now())
  const servable = await runInSlices(servableSiteSteps(snapshot, { liveSince }))
  const request = { method: 'GET', pathname, search, host, header: headerOfBrowser, country: null }
  const { by, ...explained } = explain(servable, request, {
    host,
    pathname,
    isUnderBaseDomain,
    shows: 'live',
    canonical: isOwnLabel && primary !== null ? main.origin + pathname : null,
  })
  // There are none in `servable`.
  return { ...explained, address, by: by === 'earlier-asset' ? 'file' : by }
}

const undecided = {
  file: null,
  location: null,
  rule: null,
  overruled: null,
  headers: [],
} as const

/** Another host of the site, with the scheme and port of its permanent one. */
function withHost(own: URL, host: string): URL {
  const url = new URL(own)
  url.hostname = host
  return url
}

async function isMapped(host: string, { did, name }: SiteAddress, db: ApiContext['db']) {
  const mapped = await findSiteByHost(db, host)
  return mapped?.did === did && mapped.name === name
}

const notOfSite = (): ApiError => new ApiError(400, sentences.notAddressOfSite)

/** As `redirectToPrimary` of the edge. */
function redirects(pathname: string): boolean {
  const path = parseRequestPath(pathname)
  return path.ok && !isForCertificates(path.segments)
}

/** Of a browser that opens an address. */
const headerOfBrowser = (name: string): string | null => browserHeaders.get(name) ?? null

const browserHeaders: ReadonlyMap<string, string> = new Map([
  ['accept', 'text/html,*/*;q=0.8'],
  ['sec-fetch-mode', 'navigate'],
])
