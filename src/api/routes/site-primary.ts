import type { HandlersOf } from '#api/bind-routes.ts'
import type { ApiContext } from '#api/context.ts'
import { sentences } from '#api/contract/messages.ts'
import type { siteRoutes } from '#api/contract/site.ts'
import { ApiError } from '#api/errors.ts'
import { foldDomain } from '#domains/domain-name.ts'
import { type PrimaryOutcome, setPrimaryDomain } from '#store/names/primary-domain.ts'
import { domainNotFound, siteToMap } from './domain-mapping.ts'

type Routes = Pick<typeof siteRoutes, 'choosePrimary'>

/** Which of a site's names is the one that its others lead to. */
export function sitePrimaryHandlers({ db, hints, log, now }: ApiContext): HandlersOf<Routes> {
  return {
    choosePrimary: async ({ params, body, session: { did }, answer }) => {
      const name = await siteToMap(db, did, params.rkey)
      if (name === null) throw domainNotFound()
      const domain = body.domain === null ? null : foldDomain(body.domain)
      if (body.domain !== null && domain === null) throw domainNotFound()
      const outcome = await setPrimaryDomain(db, { did, name }, domain, now())
      if (outcome !== 'set') throw refusals[outcome]()
      hints.notify('changes')
      log.info('primary address chosen', { did, site: name, domain })
      return answer(200, { success: true })
    },
  }
}

const refusals: Record<Exclude<PrimaryOutcome, 'set'>, () => ApiError> = {
  'not-found': domainNotFound,
  'not-verified': () => new ApiError(400, sentences.primaryUnverified),
  'leads-elsewhere': () => new ApiError(400, sentences.primaryElsewhere),
}
