import type { CertificateState } from './certificate-state.ts'

/** The names of a site, as the API lists them. */
interface Names {
  readonly domains: readonly (
    | { readonly type: 'sitehost'; readonly domain: string }
    | {
        readonly type: 'custom'
        readonly domain: string
        readonly verified: boolean
        readonly pointsHere?: false | undefined
        readonly certificate?: Pick<CertificateState, 'state'> | null | undefined
      }
  )[]
  readonly primary: string | null
  /** The permanent address. */
  readonly url: string
}

/**
 * The address that people should see: the primary one, else the first that works, with a certificate, else the permanent one. A primary domain
 * is shown even if its DNS points to another host: that may be a proxy, and the site's other names redirect to it.
 */
export function bestAddress({ domains, primary, url }: Names): URL {
  const working = domains.filter(
    (each) =>
      each.type === 'sitehost' ||
      (each.verified &&
        each.pointsHere !== false &&
        // Without the field something else keeps certificates.
        (each.certificate === undefined || each.certificate?.state === 'valid')),
  )
  const own = working.find(({ type }) => type === 'custom') ?? working[0]
  return addressOf(primary ?? own?.domain ?? null, url)
}

/** A site by one of its names, on the port and scheme of its permanent address. */
export function addressOf(domain: string | null, url: string): URL {
  const address = new URL(url)
  if (domain !== null) address.hostname = domain
  return address
}
