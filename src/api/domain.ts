import { Hono } from 'hono'
import { foldDomain } from '#domains/domain-name.ts'
import { findRegisteredDomain } from '#store/custom-domains.ts'
import type { Db } from '#store/database.ts'
import { findSubdomain } from '#store/subdomains.ts'
import { claimableDomain } from './claimable-domain.ts'
import type { ApiContext } from './context.ts'
import { customDomainRoutes } from './domain-custom.ts'
import { subdomainRoutes } from './domain-subdomains.ts'
import type { BrowserSessions } from './sessions.ts'
import { signedIn } from './signed-in.ts'
import type { ApiEnv } from './variables.ts'

/** `/api/domain/*`: names below the base domain, and people's own domains (interface.md §4.3). */
export function domainRoutes(context: ApiContext, sessions: BrowserSessions): Hono<ApiEnv> {
  const { db } = context
  const routes = new Hono<ApiEnv>()

  routes.get('/check', async (c) => {
    const domain = claimableDomain(c.req.query('handle') ?? '', context)
    if (domain === null) return c.json({ available: false, reason: 'invalid' })
    const subdomain = await findSubdomain(db, domain)
    return subdomain === null
      ? c.json({ available: true, domain })
      : c.json({ available: false, reason: 'taken', domain })
  })

  routes.get('/registered', async (c) => {
    const input = c.req.query('domain')
    if (!input) return c.json({ error: 'Domain parameter required' }, 400)
    const domain = foldDomain(input)
    const registration = domain && (await findRegistration(db, domain))
    return registration ? c.json(registration) : c.json({ registered: false }, 404)
  })

  routes.use(signedIn(sessions))
  routes.route('/custom', customDomainRoutes(context))
  routes.route('/', subdomainRoutes(context))
  return routes
}

async function findRegistration(db: Db, domain: string) {
  const subdomain = await findSubdomain(db, domain)
  if (subdomain !== null) {
    const { did, site } = subdomain
    return { registered: true, type: 'sitehost', domain, did, rkey: site ?? '' }
  }
  const custom = await findRegisteredDomain(db, domain)
  if (custom === null) return null
  const { did, site, verified } = custom
  return { registered: true, type: 'custom', domain, did, rkey: site, verified }
}
