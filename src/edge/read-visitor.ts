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

interface Connected extends Pick<Front, 'connectionOf'> {
  readonly trustedProxies: TrustedProxies
}

/** `clientNetworkOf`, remembered. `server`: to which the requests come. */
export function networkReader(
  server: RequestServer,
  { connectionOf, trustedProxies }: Connected,
  ipv6Bits: Ipv6PrefixBits,
): (request: Request) => string {
  const networks = new LruMap<string, string>(networksMax)
  return (request) => {
    const forwarded = request.headers.get('x-forwarded-for') ?? ''
    const key = `${connectionOf(request)} ${forwarded}`
    const known = networks.get(key)
    if (known !== undefined) return known
    const network = clientNetworkOf(request, server, trustedProxies, ipv6Bits)
    networks.set(key, network)
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
