import type { HandlersOf } from '#api/bind-routes.ts'
import type { ApiContext } from '#api/context.ts'
import type { subdomainRoutes } from '#api/contract/domain.ts'
import { sentences } from '#api/contract/messages.ts'
import { ApiError } from '#api/errors.ts'
import { foldDomain } from '#domains/domain-name.ts'
import type { Did } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import {
  claimSubdomain,
  listSubdomains,
  mapSubdomain,
  releaseSubdomain,
  renameSubdomain,
} from '#store/names/subdomains.ts'
import { claimableDomain } from './claimable-domain.ts'
import { domainNotFound, siteToMap } from './domain-mapping.ts'

/** The signed-in account's names below the base domain (interface.md §4.3). */
export function subdomainHandlers(context: ApiContext): HandlersOf<typeof subdomainRoutes> {
  const { db, hints, log, now, subdomainsMax } = context
  return {
    claimSubdomain: async ({ body, session: { did }, answer }) => {
      const domain = claimable(body.handle, context)
      const outcome = await claimSubdomain(db, { did, domain }, { subdomainsMax, now: now() })
      if (!outcome.claimed) throw refusals[outcome.reason](subdomainsMax)
      hints.notify('changes')
      log.info('subdomain claimed', { did, domain })
      return answer(200, { success: true, domain })
    },

    renameSubdomain: async ({ body, session: { did }, answer }) => {
      const newDomain = claimable(body.handle, context)
      const domain = await ownSubdomain(db, did, body.domain)
      const outcome = await renameSubdomain(db, { did, domain }, newDomain, now())
      if (outcome === 'not-found') throw domainNotFound()
      if (outcome !== 'renamed') throw refusals[outcome](subdomainsMax)
      hints.notify('changes')
      log.info('subdomain renamed', { did, domain, newDomain })
      return answer(200, { success: true, domain: newDomain })
    },

    mapSubdomain: async ({ body, session: { did }, answer }) => {
      const domain = folded(body.domain)
      const site = await siteToMap(db, did, body.siteRkey)
      if (!(await mapSubdomain(db, { did, domain }, site, now()))) throw domainNotFound()
      hints.notify('changes')
      log.info('subdomain mapped', { did, domain, site })
      return answer(200, { success: true })
    },

    releaseSubdomain: async ({ params, session: { did }, answer }) => {
      const domain = folded(params.domain)
      if (!(await releaseSubdomain(db, { did, domain }, now()))) throw domainNotFound()
      hints.notify('changes')
      log.info('subdomain released', { did, domain })
      return answer(200, { success: true })
    },
  }
}

function claimable(handle: string, context: ApiContext): string {
  const domain = claimableDomain(handle, context)
  if (domain === null) {
    throw new ApiError(400, sentences.notClaimable)
  }
  return domain
}

type Refusal = 'taken' | 'limit' | 'kept-limit'

const refusals: Record<Refusal, (subdomainsMax: number) => ApiError> = {
  taken: () => new ApiError(409, sentences.nameTaken),
  limit: (subdomainsMax) =>
    new ApiError(403, `An account can have ${subdomainsMax} of these names. Release one first.`),
  'kept-limit': () => new ApiError(403, sentences.namesKept),
}

/** The one that is named, or the only one. Throws ApiError. */
async function ownSubdomain(db: Db, did: Did, named: string | undefined): Promise<string> {
  if (named !== undefined) return folded(named)
  const [first, second] = await listSubdomains(db, did)
  if (first === undefined) throw domainNotFound()
  if (second !== undefined) {
    throw new ApiError(400, sentences.severalNames)
  }
  return first.domain
}

function folded(input: string): string {
  const domain = foldDomain(input)
  if (domain === null) throw domainNotFound()
  return domain
}
