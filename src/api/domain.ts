import { foldDomain } from '#domains/domain-name.ts'
import { findSubdomain } from '#store/subdomains.ts'
import type { HandlersOf } from './bind-routes.ts'
import { claimableDomain } from './claimable-domain.ts'
import type { ApiContext } from './context.ts'
import type { publicDomainRoutes } from './contract/domain.ts'
import { literals } from './contract/messages.ts'

/** `/api/domain/*`: what everybody may ask of a name (interface.md §4.3). */
export function publicDomainHandlers(context: ApiContext): HandlersOf<typeof publicDomainRoutes> {
  const { db, registrations } = context
  return {
    checkSubdomain: async ({ query, answer }) => {
      const domain = claimableDomain(query.handle ?? '', context)
      if (domain === null) return answer(200, { available: false, reason: 'invalid' })
      const subdomain = await findSubdomain(db, domain)
      return subdomain === null
        ? answer(200, { available: true, domain })
        : answer(200, { available: false, reason: 'taken', domain })
    },

    findRegistration: async ({ query, answer }) => {
      if (!query.domain) return answer(400, { error: literals.domainParameter })
      const domain = foldDomain(query.domain)
      const registration = domain && (await registrations.find(domain))
      return registration ? answer(200, registration) : answer(404, { registered: false })
    },
  }
}
