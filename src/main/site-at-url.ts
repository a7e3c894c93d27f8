import { type RoutedHosts, routeHost } from '#edge/names/route.ts'
import { parseDid, type SiteAddress } from '#site/site-address.ts'
import { namesWithKey, parseSiteName } from '#site/site-name.ts'
import { findDidByHandle } from '#store/accounts/accounts.ts'
import type { Db } from '#store/database/database.ts'
import { findSiteByHost } from '#store/names/hosts.ts'
import { findSiteOfVersions } from '#store/sites/previews.ts'
import { findSiteAtLabel, listPresentNames } from '#store/sites/sites.ts'

/**
 * The site that visitors of this address get here, taken down or not: on its own host, a mapped one, that of a version or
 * preview, or by its owner at `sites.{base_domain}`. Null for any other address, whatever the string.
 */
export async function siteAtUrl(
  input: string,
  { db, ...hosts }: RoutedHosts & { readonly db: Db },
): Promise<SiteAddress | null> {
  const url = URL.parse(/^https?:\/\//i.test(input) ? input : `https://${input}`)
  if (url === null) return null
  const route = routeHost(url.hostname, hosts)
  switch (route.kind) {
    case 'site':
      return await siteAtLabel(route.label, db)
    case 'named':
      return await findSiteByHost(db, route.host)
    case 'preview':
      return route.name.includes('.')
        ? await findSiteByHost(db, route.name)
        : await siteAtLabel(route.name, db)
    case 'addresses':
      return await siteOfPath(url.pathname, db)
    case 'application':
    case 'base':
    case 'bad-host':
      return null
  }
}

/** A site that was never live has only versions. */
const siteAtLabel = async (label: string, db: Db): Promise<SiteAddress | null> =>
  (await findSiteAtLabel(db, label)) ?? (await findSiteOfVersions(db, label))

async function siteOfPath(pathname: string, db: Db): Promise<SiteAddress | null> {
  const [, owner = '', site = ''] = pathname.split('/').map(decoded)
  const name = parseSiteName(site)
  const handle = owner.toLowerCase()
  const isHandle = /^[a-z0-9.-]{1,253}$/.test(handle)
  const did = parseDid(owner) ?? (isHandle ? await findDidByHandle(db, handle) : null)
  if (did === null || name === null) return null
  const names = namesWithKey(name)
  const present = await listPresentNames(db, did, names)
  const known = names.find((one) => present.includes(one))
  return known === undefined ? null : { did, name: known }
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return ''
  }
}
