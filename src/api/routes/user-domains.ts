import type { HandlersOf } from '#api/bind-routes.ts'
import type { ApiContext } from '#api/context.ts'
import { literals } from '#api/contract/messages.ts'
import type { userRoutes } from '#api/contract/user.ts'
import { ApiError } from '#api/errors.ts'
import type { Did } from '#site/site-address.ts'
import { parseSiteName } from '#site/site-name.ts'
import { listCustomDomains } from '#store/names/custom-domains.ts'
import { listSubdomains } from '#store/names/subdomains.ts'
import { customDomainRow, siteDomainRows, subdomainRow } from './domain-rows.ts'

type Routes = Pick<typeof userRoutes, 'listDomains' | 'listDomainsOfSite'>

/** The signed-in account's domains, all of them or those of one site (interface.md §4.2). */
export function userDomainHandlers({ db, baseDomain }: ApiContext): HandlersOf<Routes> {
  const domainsOf = async (did: Did) => ({
    subdomains: await listSubdomains(db, did),
    customDomains: await listCustomDomains(db, did),
  })

  return {
    listDomains: async ({ session, answer }) => {
      const { subdomains, customDomains } = await domainsOf(session.did)
      return answer(200, {
        sitehostDomains: subdomains.map(subdomainRow),
        customDomains: customDomains.map((domain) => customDomainRow(domain, baseDomain)),
      })
    },

    listDomainsOfSite: async ({ params, session, answer }) => {
      const name = parseSiteName(params.rkey)
      if (name === null) throw new ApiError(404, literals.siteNotFound)
      const { subdomains, customDomains } = await domainsOf(session.did)
      return answer(200, { rkey: name, domains: siteDomainRows(name, subdomains, customDomains) })
    },
  }
}
