import { Hono } from 'hono'
import { parseSiteName } from '#site/site-name.ts'
import { listCustomDomains } from '#store/custom-domains.ts'
import { listSubdomains } from '#store/subdomains.ts'
import type { ApiContext } from './context.ts'
import { customDomainRow, siteDomainRows, subdomainRow } from './domain-rows.ts'
import { ApiError } from './errors.ts'
import type { ApiEnv } from './variables.ts'

/** The signed-in account's domains, all of them or those of one site (interface.md §4.2). */
export function userDomainRoutes({ db, baseDomain }: ApiContext): Hono<ApiEnv> {
  const routes = new Hono<ApiEnv>()

  routes.get('/domains', async (c) => {
    const { did } = c.var.session
    const subdomains = await listSubdomains(db, did)
    const customDomains = await listCustomDomains(db, did)
    return c.json({
      sitehostDomains: subdomains.map(subdomainRow),
      customDomains: customDomains.map((domain) => customDomainRow(domain, baseDomain)),
    })
  })

  routes.get('/site/:rkey/domains', async (c) => {
    const { did } = c.var.session
    const name = parseSiteName(c.req.param('rkey'))
    if (name === null) throw new ApiError(404, 'Site not found')
    const subdomains = await listSubdomains(db, did)
    const customDomains = await listCustomDomains(db, did)
    return c.json({ rkey: name, domains: siteDomainRows(name, subdomains, customDomains) })
  })

  return routes
}
