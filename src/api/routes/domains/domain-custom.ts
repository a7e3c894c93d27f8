import type { HandlersOf } from '#api/bind-routes.ts'
import { ConcurrencyLimit } from '#api/concurrency-limit.ts'
import type { ApiContext } from '#api/context.ts'
import type { customDomainRoutes } from '#api/contract/domain-custom.ts'
import { sentences } from '#api/contract/messages.ts'
import { ApiError } from '#api/errors.ts'
import { dnsRecordsFor, isDomainId, newDomainId } from '#domains/dns-records.ts'
import { type DomainRefusal, type OwnHosts, parseCustomDomain } from '#domains/domain-name.ts'
import { verificationSentence } from '#domains/domain-sentences.ts'
import type { Verification } from '#domains/verification.ts'
import { verifyDomain } from '#domains/verify-domain.ts'
import { recordEvent } from '#observe/events.ts'
import { customDomainsMax, pendingDomainsMax } from '#site/limits.ts'
import { deleteCustomDomain, mapCustomDomain } from '#store/names/change-custom-domain.ts'
import {
  type AddRefusal,
  addCustomDomain,
  type CustomDomainKey,
  findCustomDomain,
} from '#store/names/custom-domains.ts'
import { domainNotFound, ownSite } from './domain-mapping.ts'

// Per account, so that none has the service query the DNS all day.
const lookUpsAtOnceMax = 4

/** The signed-in account's own domains (interface.md §4.3). */
export function customDomainHandlers(context: ApiContext): HandlersOf<typeof customDomainRoutes> {
  const { db, wakeUps, log, now, baseDomain, origin } = context
  const ownHosts: OwnHosts = { applicationHost: new URL(origin).hostname, baseDomain }
  const lookUps = new ConcurrencyLimit({
    max: lookUpsAtOnceMax,
    sentence: sentences.lookUpsBusy,
    retryAfterSeconds: 5,
  })
  return {
    addCustomDomain: async ({ body, session: { did }, answer }) => {
      const domain = ownable(body.domain, ownHosts)
      const outcome = await addCustomDomain(
        db,
        { did, id: newDomainId(), domain },
        { pendingMax: pendingDomainsMax, domainsMax: customDomainsMax, now: now() },
      )
      if (!outcome.added) throw addRefusals[outcome.reason]()
      const { id, verified } = outcome.domain
      recordEvent(log, 'domain_added', { did, host: domain })
      return answer(200, { success: true, id, domain, verified })
    },

    verifyCustomDomain: async ({ body, session: { did }, answer }) => {
      const domain = await findCustomDomain(db, keyOf(did, body.id))
      if (domain === null) throw domainNotFound()
      using _ = await lookUps.acquire(did)
      const verification = await verifyDomain(domain, context)
      if (verification === null) throw domainNotFound()
      const error = verificationSentence(verification, dnsRecordsFor(domain, baseDomain))
      const { verified } = verification
      return answer(200, { success: verified, verified, error, found: isFound(verification) })
    },

    deleteCustomDomain: async ({ params, session, answer }) => {
      const key = keyOf(session.did, params.id)
      const domain = await findCustomDomain(db, key)
      const isDeleted = await deleteCustomDomain(db, key, now())
      if (domain === null || !isDeleted) throw domainNotFound()
      wakeUps.notify('changes')
      recordEvent(log, 'domain_deleted', { did: key.did, host: domain.domain })
      return answer(200, { success: true })
    },

    mapCustomDomain: async ({ params, body, session: { did }, answer }) => {
      const key = keyOf(did, params.id)
      const site = body.siteRkey === null ? null : await ownSite(db, did, body.siteRkey)
      if (!(await mapCustomDomain(db, key, site, now()))) throw domainNotFound()
      wakeUps.notify('changes')
      log.info('custom domain mapped', { ...key, site })
      return answer(200, { success: true })
    },
  }
}

function ownable(input: string, ownHosts: OwnHosts): string {
  const parsed = parseCustomDomain(input, ownHosts)
  if (!parsed.ok) throw new ApiError(400, refusalSentences[parsed.reason])
  return parsed.domain
}

const refusalSentences: Record<DomainRefusal, string> = {
  'not-a-domain': sentences.notADomain,
  'public-suffix': sentences.publicSuffix,
  'special-use': sentences.specialUse,
  ours: sentences.ourOwnName,
}

const addRefusals: Record<AddRefusal, () => ApiError> = {
  'verified-elsewhere': () => new ApiError(409, sentences.verifiedElsewhere),
  'pending-limit': () => new ApiError(403, sentences.pendingDomains),
  limit: () => new ApiError(403, sentences.domainLimit),
}

function keyOf(did: CustomDomainKey['did'], id: string): CustomDomainKey {
  if (!isDomainId(id)) throw domainNotFound()
  return { did, id }
}

const isFound = (verification: Verification): boolean =>
  verification.verified || 'values' in verification
