import type { HandlersOf } from '#api/bind-routes.ts'
import type { ApiContext } from '#api/context.ts'
import type { domainRoutes } from '#api/contract/domain.ts'
import { literals, sentences } from '#api/contract/messages.ts'
import { ApiError } from '#api/errors.ts'
import type { BrowserSessions } from '#api/session/sessions.ts'
import { foldDomain } from '#domains/domain-name.ts'
import { recordEvent } from '#observe/events.ts'
import type { Did } from '#site/site-address.ts'
import { parseSubdomainLabel } from '#site/subdomain-label.ts'
import type { Db } from '#store/database/database.ts'
import { isKeptForAnother } from '#store/names/kept-subdomains.ts'
import {
  claimSubdomain,
  findSubdomain,
  listSubdomains,
  mapSubdomain,
  releaseSubdomain,
  renameSubdomain,
} from '#store/names/subdomains.ts'
import { domainNotFound, ownSite } from './domain-mapping.ts'

/** `/api/domain/*`: what anyone may ask about a name, and the account's names (interface.md §4.3). */
export function domainHandlers(
  context: ApiContext,
  sessions: BrowserSessions,
): HandlersOf<typeof domainRoutes> {
  const { db, wakeUps, log, now, registrations, subdomainsMax } = context
  return {
    checkSubdomain: async ({ query, answer, c }) => {
      const domain = claimableDomain(query.handle ?? '', context)
      if (domain === null) return answer(200, { available: false, reason: 'invalid' })
      const session = await sessions.read(c.req.raw.headers)
      const isTaken =
        (await findSubdomain(db, domain)) !== null ||
        (await isKeptForAnother(db, domain, session?.did ?? null, now()))
      return isTaken
        ? answer(200, { available: false, reason: 'taken', domain })
        : answer(200, { available: true, domain })
    },

    findRegistration: async ({ query, answer }) => {
      if (!query.domain) return answer(400, { error: literals.domainParameter })
      const domain = foldDomain(query.domain)
      const registration = domain && (await registrations.find(domain))
      return registration ? answer(200, registration) : answer(404, { registered: false })
    },

    claimSubdomain: async ({ body, session: { did }, answer }) => {
      const domain = claimable(body.handle, context)
      const outcome = await claimSubdomain(db, { did, domain }, { subdomainsMax, now: now() })
      if (!outcome.claimed) throw refusals[outcome.reason](subdomainsMax)
      wakeUps.notify('changes')
      recordEvent(log, 'subdomain_claimed', { did, host: domain })
      return answer(200, { success: true, domain })
    },

    renameSubdomain: async ({ body, session: { did }, answer }) => {
      const newDomain = claimable(body.handle, context)
      const domain = await ownSubdomain(db, did, body.domain)
      const outcome = await renameSubdomain(db, { did, domain }, newDomain, now())
      if (outcome === 'not-found') throw domainNotFound()
      if (outcome !== 'renamed') throw refusals[outcome](subdomainsMax)
      wakeUps.notify('changes')
      recordEvent(log, 'subdomain_renamed', { did, host: newDomain, formerHost: domain })
      return answer(200, { success: true, domain: newDomain })
    },

    mapSubdomain: async ({ body, session: { did }, answer }) => {
      const domain = folded(body.domain)
      const site = body.siteRkey === null ? null : await ownSite(db, did, body.siteRkey)
      if (!(await mapSubdomain(db, { did, domain }, site, now()))) throw domainNotFound()
      wakeUps.notify('changes')
      log.info('subdomain mapped', { did, host: domain, site })
      return answer(200, { success: true })
    },

    releaseSubdomain: async ({ params, session: { did }, answer }) => {
      const domain = folded(params.domain)
      if (!(await releaseSubdomain(db, { did, domain }, now()))) throw domainNotFound()
      wakeUps.notify('changes')
      recordEvent(log, 'subdomain_released', { did, host: domain })
      return answer(200, { success: true })
    },
  }
}

function claimable(handle: string, context: ApiContext): string {
  const domain = claimableDomain(handle, context)
  if (domain === null) throw new ApiError(400, sentences.notClaimable)
  return domain
}

type Refusal = 'taken' | 'limit' | 'kept-limit'

const refusals: Record<Refusal, (subdomainsMax: number) => ApiError> = {
  taken: () => new ApiError(409, sentences.nameTaken),
  limit: (subdomainsMax) =>
    new ApiError(403, `An account can have ${subdomainsMax} of these names. Release one first.`),
  'kept-limit': () => new ApiError(403, sentences.namesKept),
}

/** The named one, or the account's only one. Throws ApiError. */
async function ownSubdomain(db: Db, did: Did, named: string | undefined): Promise<string> {
  if (named !== undefined) return folded(named)
  const [first, second] = await listSubdomains(db, did)
  if (first === undefined) throw domainNotFound()
  if (second !== undefined) throw new ApiError(400, sentences.severalNames)
  return first.domain
}

function folded(input: string): string {
  const domain = foldDomain(input)
  if (domain === null) throw domainNotFound()
  return domain
}

/** The domain of a label; null if nobody can claim it, such as the application's own. */
function claimableDomain(
  handle: string,
  { baseDomain, origin, reservedNames }: ApiContext,
): string | null {
  const label = parseSubdomainLabel(handle)
  if (label === null || reservedNames.has(label)) return null
  const domain = `${label}.${baseDomain}`
  const application = new URL(origin).hostname
  const isApplications = application === domain || application.endsWith(`.${domain}`)
  return isApplications ? null : domain
}
