import { LoadingTier } from '#concurrency/loading-tier.ts'
import type { LoadContext } from '#edge/load-site.ts'
import { siteLabel } from '#site/site-address.ts'
import { findMappedHost } from '#store/names/hosts.ts'

const bytesMax = 16 * 1024 * 1024
/** Approximate size of one host in memory, without the address that it redirects to. */
const hostBytes = 512

/** The site that a host leads to. */
export interface HostTarget {
  /** Of the site. */
  readonly label: string
  /** The origin of the site's primary address, to redirect visitors to; null: they are served here. */
  readonly movedTo: string | null
}

interface HostsContext extends Pick<LoadContext, 'db' | 'originOf'> {
  /** Monotonic milliseconds. */
  readonly elapsed?: () => number
}

/**
 * LRU cache of the sites that subdomains and custom domains lead to, for some 32 000 requested hosts.
 * `forgetChanged` invalidates changed hosts.
 */
export class Hosts extends LoadingTier<HostTarget> {
  constructor({ db, elapsed, originOf }: HostsContext) {
    const load = async (host: string) => {
      const mapped = await findMappedHost(db, host)
      if (mapped === null) return null
      const { did, primaryDomain: primary, site: name } = mapped
      // Prevents a redirect to the same host: a primary address is one of the site's hosts.
      const movedTo = primary === null || primary === host ? null : originOf(primary)
      const value = { label: siteLabel({ did, name }), movedTo }
      return { value, bytes: hostBytes + (movedTo?.length ?? 0) }
    }
    super(bytesMax, load, elapsed)
  }
}
