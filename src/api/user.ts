import { Hono } from 'hono'
import { siteUri } from '#site/site-address.ts'
import { parseSiteName } from '#site/site-name.ts'
import { findAccount } from '#store/accounts.ts'
import { listCustomDomains } from '#store/custom-domains.ts'
import { listSites, type Site } from '#store/sites.ts'
import { listSubdomains } from '#store/subdomains.ts'
import type { ApiContext } from './context.ts'
import { siteDomainRows } from './domain-rows.ts'
import { ApiError } from './errors.ts'
import type { BrowserSessions } from './sessions.ts'
import { signedIn } from './signed-in.ts'
import { userDomainRoutes } from './user-domains.ts'
import type { ApiEnv } from './variables.ts'

/** `/api/user/*`: what the signed-in account has here (interface.md §4.2). */
export function userRoutes(context: ApiContext, sessions: BrowserSessions): Hono<ApiEnv> {
  const { db } = context
  const routes = new Hono<ApiEnv>()
  routes.use(signedIn(sessions))

  routes.get('/status', async (c) => {
    const { did } = c.var.session
    const sites = await listSites(db, did)
    const [oldest] = await listSubdomains(db, did)
    return c.json({
      did,
      hasSites: sites.length > 0,
      hasDomain: oldest !== undefined,
      domain: oldest?.domain ?? null,
      sitesCount: sites.length,
    })
  })

  routes.get('/info', async (c) => {
    const { did } = c.var.session
    const account = await findAccount(db, did)
    // atproto's own word for an account whose handle does not lead back to it
    return c.json({ did, handle: account?.handle ?? 'handle.invalid' })
  })

  routes.get('/sites', async (c) => {
    const { did } = c.var.session
    const sites = await listSites(db, did)
    const subdomains = await listSubdomains(db, did)
    const customDomains = await listCustomDomains(db, did)
    const rows = sites.map((site) => ({
      ...siteRow(site, context),
      domains: siteDomainRows(site.name, subdomains, customDomains),
    }))
    return c.json({ sites: rows })
  })

  routes.post('/sync', async (c) => {
    // Many sites take their time, and say nothing meanwhile.
    c.env.server?.timeout(c.req.raw, 0)
    const { status, synced, errors } = await context.syncAccount(c.var.session.did)
    if (status !== 'active') throw new ApiError(409, inactive)
    return c.json({ success: errors.length === 0, synced, errors })
  })

  routes.route('/', userDomainRoutes(context))
  return routes
}

const inactive = 'Your account is not active on its server. Its sites are not shown until it is.'

function siteRow(site: Site, { siteUrl }: ApiContext) {
  const { did, live, refused } = site
  const name = parseSiteName(site.name)
  if (name === null) throw new TypeError('a stored site has a bad name')
  return {
    rkey: name,
    displayName: name,
    uri: siteUri({ did, name }),
    cid: live?.recordCid ?? null,
    fileCount: live?.fileCount ?? 0,
    bytes: live?.bytes ?? 0,
    url: siteUrl({ did, name }),
    createdAt: isoOf(site.createdAt),
    updatedAt: isoOf(site.updatedAt),
    publishedAt: live === null ? null : isoOf(live.publishedAt),
    problems: (refused ?? live)?.problems ?? [],
  }
}

const isoOf = (at: number): string => new Date(at).toISOString()
