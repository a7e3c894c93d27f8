import { isIP } from 'node:net'

const loopback = /^(?:127\.0\.0\.1|\[::1\])$/

/** Not in the public DNS, as account servers see it (reference server 0.5.35, `isLocalHostname`). */
export const privateTlds = /(?:^|\.)(?:test|local|localhost|invalid|example)$/

/** Why the application cannot have this address, or its sites this domain: the setting and its fix. Null: they can. */
export function problemOfAddresses(baseUrl: URL, baseDomain: string): string | null {
  const { hostname, protocol } = baseUrl
  if (baseUrl.href !== `${baseUrl.origin}/`) {
    return 'BASE_URL: an origin without path, query or password, such as https://sitehost.example.com'
  }
  const problem = protocol === 'https:' ? problemOfPublic(baseUrl) : problemOfLoopback(baseUrl)
  if (problem !== null) return problem
  if (protocol === 'https:' && privateTlds.test(baseDomain)) {
    return `BASE_DOMAIN: at a public BASE_URL, the domain under which sites get their names (now ${baseDomain})`
  }
  // A site and the application would share an origin.
  const ours = [baseDomain, `sites.${baseDomain}`]
  const isSites = ours.includes(hostname) || hostname.startsWith('s--')
  return isSites ? 'BASE_DOMAIN: the application and the sites must not share a host' : null
}

function problemOfLoopback({ hostname }: URL): string | null {
  // RFC 8252 §7.3: account servers redirect a sign-in to loopback addresses, not to the name.
  if (hostname === 'localhost') return 'BASE_URL: use 127.0.0.1 in place of localhost'
  return loopback.test(hostname)
    ? null
    : 'BASE_URL: https, unless it is a loopback address: account servers sign nobody in to http elsewhere'
}

// Account servers read our client metadata at this address, and reject addresses that cannot be public.
function problemOfPublic({ hostname, port }: URL): string | null {
  const isName = isIP(hostname.replace(/^\[|\]$/g, '')) === 0
  if (loopback.test(hostname)) return 'BASE_URL: http at a loopback address'
  if (!isName || !hostname.includes('.') || privateTlds.test(hostname)) {
    return `BASE_URL: use a name of the public DNS, of a domain of yours: account servers sign nobody in to ${hostname}`
  }
  return port === ''
    ? null
    : 'BASE_URL: https without a port (443): account servers connect to no other'
}
