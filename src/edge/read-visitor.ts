import { LruMap } from '#concurrency/lru-map.ts'
import { clientNetworkOf, type RequestServer, type TrustedProxies } from '#http/client-address.ts'
import { type Front, visitorCountry } from './names/front.ts'
import type { Visitor } from './shares/visit-counts.ts'

/** Most visitors ask for several pages in a row, and to learn an IPv6 address's network takes some 10 µs. */
const networksMax = 5_000

/** Reads who asks. `server`: to which the requests come. */
export function visitorReader(
  server: RequestServer,
  front: Front & { readonly trustedProxies: TrustedProxies },
): (request: Request) => Visitor {
  const networks = new LruMap<string, string>(networksMax)
  const networkOf = (request: Request): string => {
    const forwarded = request.headers.get('x-forwarded-for') ?? ''
    const key = `${front.connectionOf(request)} ${forwarded}`
    const known = networks.get(key)
    if (known !== undefined) return known
    const network = clientNetworkOf(request, server, front.trustedProxies)
    networks.set(key, network)
    return network
  }
  return (request) => ({
    network: networkOf(request),
    userAgent: request.headers.get('user-agent') ?? '',
    country: visitorCountry(request, front),
  })
}
