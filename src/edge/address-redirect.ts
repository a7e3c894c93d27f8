import type { Log } from '#observe/log.ts'
import { type Did, parseDid, type SiteAddress } from '#site/site-address.ts'
import { parseSiteName } from '#site/site-name.ts'
import { findDidByHandle } from '#store/accounts.ts'
import type { Db } from '#store/database.ts'
import { plainPage, unavailablePage, unclaimedPage } from './pages.ts'
import { requestTarget } from './request-target.ts'

interface RedirectContext {
  readonly db: Db
  readonly log: Log
  /** Address of a site's own host, with a slash at its end. */
  readonly siteUrl: (address: SiteAddress) => string
}

/**
 * `/<did or handle>/<site name>/<rest>` at `sites.{base_domain}`: a redirect to the site's own host, rest and
 * query kept, so that no site is ever served at an origin that it shares. Of handles those of known accounts.
 * Never rejects: what fails here is a 503.
 */
export async function redirectToSite(
  request: Request,
  { db, log, siteUrl }: RedirectContext,
): Promise<Response> {
  const { pathname, search } = requestTarget(request.url)
  const [, account = '', site = '', ...rest] = pathname.split('/')
  const [owner, name] = [decoded(account), parseSiteName(decoded(site) ?? '')]
  if (owner === null || name === null) return plainPage(400, 'Bad request')
  try {
    const did = parseDid(owner) ?? (await didOf(owner.toLowerCase(), db))
    if (did === null) return unclaimedPage()
    // The path is as it was sent: visible ASCII, and behind a slash of ours.
    const location = siteUrl({ did, name }) + rest.join('/') + search
    const headers = { location, 'cache-control': 'public, max-age=0' }
    return new Response(null, { status: 302, headers })
  } catch (error) {
    log.error('address not redirected', { error })
    return unavailablePage()
  }
}

// Nothing else may reach the database: PostgreSQL throws at text that holds NUL.
async function didOf(handle: string, db: Db): Promise<Did | null> {
  return /^[a-z0-9.-]{1,253}$/.test(handle) ? await findDidByHandle(db, handle) : null
}

function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment)
  } catch {
    return null
  }
}
