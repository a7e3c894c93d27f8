import { Hono } from 'hono'
import { z } from 'zod'
import { foldDomain } from '#domains/domain-name.ts'
import type { Did } from '#site/site-address.ts'
import type { Db } from '#store/database.ts'
import {
  claimSubdomain,
  listSubdomains,
  mapSubdomain,
  releaseSubdomain,
  renameSubdomain,
} from '#store/subdomains.ts'
import { parseBody } from './body.ts'
import { claimableDomain } from './claimable-domain.ts'
import type { ApiContext } from './context.ts'
import { domainNotFound, siteToMap } from './domain-mapping.ts'
import { ApiError } from './errors.ts'
import type { ApiEnv } from './variables.ts'

const claimBody = z.object({ handle: z.string() })
const updateBody = z.object({ handle: z.string(), domain: z.string().optional() })
const mapBody = z.object({ domain: z.string(), siteRkey: z.string().nullable() })

/** The signed-in account's names below the base domain. */
export function subdomainRoutes(context: ApiContext): Hono<ApiEnv> {
  const { db, hints, log, now, subdomainsMax } = context
  const routes = new Hono<ApiEnv>()

  routes.post('/claim', async (c) => {
    const { did } = c.var.session
    const { handle } = await parseBody(c.req.raw, claimBody)
    const domain = claimable(handle, context)
    const outcome = await claimSubdomain(db, { did, domain }, { subdomainsMax, now: now() })
    if (!outcome.claimed) throw outcome.reason === 'taken' ? taken() : limitReached(subdomainsMax)
    hints.notify('changes')
    log.info('subdomain claimed', { did, domain })
    return c.json({ success: true, domain })
  })

  routes.post('/update', async (c) => {
    const { did } = c.var.session
    const body = await parseBody(c.req.raw, updateBody)
    const newDomain = claimable(body.handle, context)
    const domain = await ownSubdomain(db, did, body.domain)
    const outcome = await renameSubdomain(db, { did, domain }, newDomain, now())
    if (outcome === 'not-found') throw domainNotFound()
    if (outcome === 'taken') throw taken()
    hints.notify('changes')
    log.info('subdomain renamed', { did, domain, newDomain })
    return c.json({ success: true, domain: newDomain })
  })

  routes.post('/sitehost/map-site', async (c) => {
    const { did } = c.var.session
    const body = await parseBody(c.req.raw, mapBody)
    const domain = folded(body.domain)
    const site = await siteToMap(db, did, body.siteRkey)
    if (!(await mapSubdomain(db, { did, domain }, site, now()))) throw domainNotFound()
    hints.notify('changes')
    log.info('subdomain mapped', { did, domain, site })
    return c.json({ success: true })
  })

  routes.delete('/sitehost/:domain', async (c) => {
    const { did } = c.var.session
    const domain = folded(c.req.param('domain'))
    if (!(await releaseSubdomain(db, { did, domain }, now()))) throw domainNotFound()
    hints.notify('changes')
    log.info('subdomain released', { did, domain })
    return c.json({ success: true })
  })

  return routes
}

function claimable(handle: string, context: ApiContext): string {
  const domain = claimableDomain(handle, context)
  if (domain === null) {
    throw new ApiError(
      400,
      'handle: 3 to 63 letters (a to z), digits and single hyphens between them, and not a name that is reserved',
    )
  }
  return domain
}

const taken = (): ApiError => new ApiError(409, 'That name is taken.')

const limitReached = (max: number): ApiError =>
  new ApiError(403, `An account can have ${max} of these names. Release one first.`)

/** The one that is named, or the only one. Throws ApiError. */
async function ownSubdomain(db: Db, did: Did, named: string | undefined): Promise<string> {
  if (named !== undefined) return folded(named)
  const [first, second] = await listSubdomains(db, did)
  if (first === undefined) throw domainNotFound()
  if (second !== undefined) {
    throw new ApiError(400, 'domain: you have several, so say which is to be renamed')
  }
  return first.domain
}

function folded(input: string): string {
  const domain = foldDomain(input)
  if (domain === null) throw domainNotFound()
  return domain
}
