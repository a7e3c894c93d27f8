import { type SiteAddress, siteLabel } from '#site/site-address.ts'
import type { Config } from './config.ts'

/** Where hosts of this instance are: with the scheme and the port of the application. */
export function siteUrlsOf({ baseDomain, origin }: Pick<Config, 'baseDomain' | 'origin'>) {
  const originOf = (host: string): string => {
    const url = new URL(origin)
    url.hostname = host
    return url.origin
  }
  /** The address of a label below the base domain, with a slash at the end. */
  const labelUrl = (label: string): string => `${originOf(`${label}.${baseDomain}`)}/`
  return { labelUrl, originOf, siteUrl: (site: SiteAddress) => labelUrl(siteLabel(site)) }
}
