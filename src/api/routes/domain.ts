import type { HandlersOf } from '#api/bind-routes.ts'
import type { ApiContext } from '#api/context.ts'
import type { publicDomainRoutes } from '#api/contract/domain.ts'
import { literals } from '#api/contract/messages.ts'
import type { BrowserSessions } from '#api/session/sessions.ts'
import { foldDomain } from '#domains/domain-name.ts'
import { isKeptForAnother } from '#store/names/kept-subdomains.ts'
import { findSubdomain } from '#store/names/subdomains.ts'
import { claimableDomain } from './claimable-domain.ts'

/** `/api/domain/*`: what everybody may ask of a name (interface.md §4.3). */
export function publicDomainHandlers(
  context: ApiContext,
  sessions: BrowserSessions,
): HandlersOf<typeof publicDomainRoutes> {
  const { db, now, registrations } = context
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
  }
}
