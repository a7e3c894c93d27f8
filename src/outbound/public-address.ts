import ipaddr from 'ipaddr.js'
import { orAborted } from '#concurrency/or-aborted.ts'
import type { ResolveHost } from './resolve-host.ts'

/** A host that we do not connect to: loopback, private, link-local, translated, reserved. */
export class ForbiddenHostError extends Error {
  override readonly name = 'ForbiddenHostError'
  readonly hostname: string

  constructor(hostname: string, reason: string) {
    super(`refused to connect; host=${hostname} reason=${reason}`)
    this.hostname = hostname
  }
}

/**
 * The vetted address to connect to for `hostname`. All addresses of a name must be public: a name with a public
 * and a private address is an attempt to reach the private one (DNS rebinding). Throws ForbiddenHostError, and
 * what `resolve` throws.
 */
export async function publicAddressOf(
  hostname: string,
  resolve: ResolveHost,
  signal: AbortSignal,
): Promise<string> {
  const name = hostname.replace(/\.$/, '')
  const literal = ipLiteral(name)
  if (literal !== null) {
    if (!isPublicAddress(literal)) throw new ForbiddenHostError(hostname, 'not a public address')
    return literal
  }
  if (name === 'localhost' || name.endsWith('.localhost')) {
    throw new ForbiddenHostError(hostname, 'loopback name')
  }
  const addresses = await orAborted(resolve(name, signal), signal)
  const [first] = addresses
  if (first === undefined) throw new ForbiddenHostError(hostname, 'no address')
  if (!addresses.every(isPublicAddress)) {
    throw new ForbiddenHostError(hostname, 'resolves to an address that is not public')
  }
  return first
}

/** Whether it is public unicast. False for IPv6 forms of an IPv4 address (mapped, NAT64, 6to4, Teredo). */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  return parsed instanceof ipaddr.IPv6 ? isGlobalUnicast(parsed) : true
}

// RFC 4291 §2.4: assigned addresses are in 2000::/3. This excludes ::a.b.c.d, an old form of IPv4.
const isGlobalUnicast = (address: ipaddr.IPv6): boolean =>
  ((address.parts[0] ?? 0) & 0xe000) === 0x2000

// `URL` has already turned 2130706433, 0x7f.1 and 127.1 into dotted form (WHATWG URL §3.5).
function ipLiteral(hostname: string): string | null {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  return ipaddr.isValid(bare) && (bare.includes(':') || ipaddr.IPv4.isValidFourPartDecimal(bare))
    ? bare
    : null
}
