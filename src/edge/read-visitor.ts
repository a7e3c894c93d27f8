import { LruMap } from '#concurrency/lru-map.ts'
import {
  clientNetworkOf,
  type Ipv6PrefixBits,
  type RequestServer,
  type TrustedProxies,
} from '#http/client-address.ts'
import { type Front, visitorCountry } from './names/front.ts'
import type { Visitor } from './shares/visit-counts.ts'

/** Most visitors ask several times in a row, and to learn the network of an address takes some 10 µs. */
const networksMax = 5_000
/** Clients write what they like before the address that a front adds: longer fields are read each time, and not remembered. */
const rememberedCharsMax = 200

interface Connected extends Pick<Front, 'connectionOf' | 'isTrusted'> {
  readonly trustedProxies: TrustedProxies
}

/** `clientNetworkOf`, remembered. `server`: to which the requests come. */
export function networkReader(
  server: RequestServer,
  { connectionOf, isTrusted, trustedProxies }: Connected,
  ipv6Bits: Ipv6PrefixBits,
): (request: Request) => string {
  const networks = new LruMap<string, string>(networksMax)
  return (request) => {
    const connection = connectionOf(request) ?? ''
    // Of other connections it does not count.
    const field = isTrusted(connection) ? request.headers.get('x-forwarded-for') : null
    const forwarded = field ?? ''
    const key = forwarded.length > rememberedCharsMax ? null : `${connection} ${forwarded}`
    const known = key === null ? undefined : networks.get(key)
    if (known !== undefined) return known
    const network = clientNetworkOf(request, server, trustedProxies, ipv6Bits)
    if (key !== null) networks.set(key, network)
    return network
  }
}

/** Reads who asks. `server`: to which the requests come. */
export function visitorReader(
  server: RequestServer,
  front: Front & Connected,
): (request: Request) => Visitor {
  const networkOf = networkReader(server, front, 64)
  return (request) => ({
    network: networkOf(request),
    userAgent: request.headers.get('user-agent') ?? '',
    country: visitorCountry(request, front),
  })
}
