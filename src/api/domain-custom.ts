import { Hono } from 'hono'
import { z } from 'zod'
import { dnsRecordsFor } from '#domains/dns-records.ts'
import { isDomainId, newDomainId } from '#domains/domain-id.ts'
import { type DomainRefusal, type OwnHosts, parseCustomDomain } from '#domains/domain-name.ts'
import { verificationSentence } from '#domains/domain-sentences.ts'
import type { Verification } from '#domains/verification.ts'
import { verifyDomain } from '#domains/verify-domain.ts'
import { customDomainsMax, pendingDomainsMax } from '#site/limits.ts'
import { deleteCustomDomain, mapCustomDomain } from '#store/change-custom-domain.ts'
import {
  type AddRefusal,
  addCustomDomain,
  type CustomDomainKey,
  findCustomDomain,
} from '#store/custom-domains.ts'
import { parseBody } from './body.ts'
import type { ApiContext } from './context.ts'
import { domainNotFound, siteToMap } from './domain-mapping.ts'
import { ApiError } from './errors.ts'
import { LookUpTurns } from './look-up-turns.ts'
import type { ApiEnv } from './variables.ts'

const addBody = z.object({ domain: z.string() })
const verifyBody = z.object({ id: z.string() })
const mapBody = z.object({ siteRkey: z.string().nullable() })

/** The signed-in account's own domains. */
export function customDomainRoutes(context: ApiContext): Hono<ApiEnv> {
  const { db, hints, log, now, baseDomain, origin } = context
  const ownHosts: OwnHosts = { applicationHost: new URL(origin).hostname, baseDomain }
  const turns = new LookUpTurns()
  const routes = new Hono<ApiEnv>()

  routes.post('/add', async (c) => {
    const { did } = c.var.session
    const body = await parseBody(c.req.raw, addBody)
    const domain = ownable(body.domain, ownHosts)
    const outcome = await addCustomDomain(
      db,
      { did, id: newDomainId(), domain },
      { pendingMax: pendingDomainsMax, domainsMax: customDomainsMax, now: now() },
    )
    if (!outcome.added) throw addRefusals[outcome.reason]
    const { id, verified } = outcome.domain
    log.info('custom domain added', { did, domain })
    return c.json({ success: true, id, domain, verified })
  })

  routes.post('/verify', async (c) => {
    const { did } = c.var.session
    const body = await parseBody(c.req.raw, verifyBody)
    const domain = await findCustomDomain(db, keyOf(did, body.id))
    if (domain === null) throw domainNotFound()
    using _ = turns.take(did)
    const verification = await verifyDomain(domain, context)
    if (verification === null) throw domainNotFound()
    const error = verificationSentence(verification, dnsRecordsFor(domain, baseDomain))
    const { verified } = verification
    return c.json({ success: verified, verified, error, found: isFound(verification) })
  })

  routes.delete('/:id', async (c) => {
    const key = keyOf(c.var.session.did, c.req.param('id'))
    if (!(await deleteCustomDomain(db, key, now()))) throw domainNotFound()
    hints.notify('changes')
    log.info('custom domain deleted', { ...key })
    return c.json({ success: true })
  })

  routes.post('/:id/map-site', async (c) => {
    const { did } = c.var.session
    const { siteRkey } = await parseBody(c.req.raw, mapBody)
    const key = keyOf(did, c.req.param('id'))
    const site = await siteToMap(db, did, siteRkey)
    if (!(await mapCustomDomain(db, key, site, now()))) throw domainNotFound()
    hints.notify('changes')
    log.info('custom domain mapped', { ...key, site })
    return c.json({ success: true })
  })

  return routes
}

function ownable(input: string, ownHosts: OwnHosts): string {
  const parsed = parseCustomDomain(input, ownHosts)
  if (!parsed.ok) throw new ApiError(400, `domain: ${refusalSentences[parsed.reason]}`)
  return parsed.domain
}

const refusalSentences: Record<DomainRefusal, string> = {
  'not-a-domain': 'expected a name such as www.example.com, without https:// and without a path',
  'public-suffix': 'nobody owns this one; people register names below it',
  'special-use': 'names that end like this are not in the public DNS',
  ours: 'this is a name of the service itself; claim one below it instead',
}

const addRefusals: Record<AddRefusal, ApiError> = {
  'verified-elsewhere': new ApiError(
    409,
    'Another account has verified this domain. It can be added some days after its TXT record no longer names that account.',
  ),
  'pending-limit': new ApiError(
    403,
    `At most ${pendingDomainsMax} domains can wait to be verified. Verify or delete one first.`,
  ),
  limit: new ApiError(403, `An account can have ${customDomainsMax} domains. Delete one first.`),
}

function keyOf(did: CustomDomainKey['did'], id: string): CustomDomainKey {
  if (!isDomainId(id)) throw domainNotFound()
  return { did, id }
}

/** Whether there was any value, right or wrong. */
const isFound = (verification: Verification): boolean =>
  verification.verified || 'values' in verification
