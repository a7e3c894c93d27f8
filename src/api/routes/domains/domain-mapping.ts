import { literals } from '#api/contract/messages.ts'
import { ApiError } from '#api/errors.ts'
import type { Did } from '#site/site-address.ts'
import { parseAnySiteName, type SiteName } from '#site/site-name.ts'
import type { Db } from '#store/database/database.ts'
import { findSite } from '#store/sites/sites.ts'

/** Also a foreign one. Throws ApiError 404 when the account has no such site. */
export async function ownSite(db: Db, did: Did, rkey: string): Promise<SiteName> {
  const name = parseAnySiteName(rkey)
  const site = name && (await findSite(db, { did, name }))
  if (site === null) throw new ApiError(404, literals.siteNotFound)
  return site.name
}

/** Also for another account's domain, whose existence is not revealed. */
export const domainNotFound = (): ApiError => new ApiError(404, literals.domainNotFound)
