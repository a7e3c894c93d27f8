import { type OwnPages, plainPage } from '#edge/pages.ts'
import { requestTarget } from '#edge/request-target.ts'
import type { Log } from '#observe/log.ts'
import { parseDid, type SiteAddress } from '#site/site-address.ts'
import { parseSiteName, type SiteName } from '#site/site-name.ts'
import { redirectCacheControl } from '#site/visit/cache-control.ts'
import type { Db } from '#store/database/database.ts'
import { type Addresses, type AddressTarget, addressKey, targetOf } from './addresses.ts'
import type { Discovery, Owner } from './discover-owner.ts'

export interface RedirectContext {
  readonly addresses: Pick<Addresses, 'get'>
  readonly db: Db
  readonly log: Log
  readonly pages: OwnPages
  /** Address of a site's own host, with a slash at its end. */
  readonly siteUrl: (address: SiteAddress) => string
  /** Discovers an owner for this client; left out: unknown owners stay unknown. */
  readonly discover?: ((owner: Owner, client: string) => Promise<Discovery>) | undefined
  /** The rate limit's key for a visitor. */
  readonly clientOf: (request: Request) => string
}

/**
 * `/<did or handle>/<site name>/<rest>` at `sites.{base_domain}`: a redirect to the site's own host, rest and
 * query kept, so that no site is ever served at an origin that it shares. For known accounts and those that `discover`
 * finds. Never rejects: failures are answered with 503.
 */
export async function redirectToSite(
  request: Request,
  context: RedirectContext,
): Promise<Response> {
  const { pages } = context
  const { pathname, search } = requestTarget(request.url)
  if (pathname === '/') return pages.unclaimed()
  const [, account = '', site = '', ...rest] = pathname.split('/')
  const [accountText, name] = [decoded(account), parseSiteName(decoded(site) ?? '')]
  if (accountText === null || name === null) return plainPage(400, 'Bad request')
  const owner = ownerOf(accountText)
  if (owner === null) return pages.unclaimed()
  try {
    const known = await context.addresses.get(addressKey(owner.did ?? owner.handle, name))
    const found = known ?? (await discovered(owner, name, request, context))
    if ('kind' in found) return notKnown(found, pages)
    const { did, takedown } = found
    // 404 at the site's own host, as for a site that does not exist.
    if (takedown === 451) return pages.takenDown(451)
    // Visible ASCII, as it was sent, after a slash of ours.
    const location = context.siteUrl({ did, name: found.name }) + rest.join('/') + search
    const headers = { location, 'cache-control': redirectCacheControl }
    return new Response(null, { status: 302, headers })
  } catch (error) {
    context.log.error('address not redirected', { error })
    return pages.unavailable()
  }
}

type NotFound = Exclude<Discovery, { kind: 'known' }>

/** Where an address leads whose owner is not known here yet. */
async function discovered(
  owner: Owner,
  name: SiteName,
  request: Request,
  { clientOf, db, discover }: RedirectContext,
): Promise<AddressTarget | NotFound> {
  const discovery = (await discover?.(owner, clientOf(request))) ?? { kind: 'not-found' }
  return discovery.kind === 'known' ? await targetOf(discovery.did, name, db) : discovery
}

function notKnown({ kind }: NotFound, pages: OwnPages): Response {
  switch (kind) {
    case 'not-found':
      return pages.unclaimed()
    case 'pending':
      return pages.fetching()
    case 'too-many':
      return plainPage(429, 'Too many new sites', { 'retry-after': '3600' })
  }
}

// Checked before the database query: PostgreSQL rejects strings that hold NUL.
function ownerOf(text: string): Owner | null {
  const did = parseDid(text)
  if (did !== null) return { did }
  const handle = text.toLowerCase()
  return /^[a-z0-9.-]{1,253}$/.test(handle) ? { handle } : null
}

function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment)
  } catch {
    return null
  }
}
