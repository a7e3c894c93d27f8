import { Identities } from '#atproto/identity/identity.ts'
import type { Config } from '#main/config/config.ts'
import type { Tally } from '#observe/tally.ts'
import { createLookUp } from '#outbound/dns/look-up.ts'
import { createSafeFetch, type FetchOutcome, type RequestPool } from '#outbound/safe-fetch.ts'

interface OutboundOptions {
  readonly config: Pick<Config, 'allowPrivateHosts' | 'dnsServers' | 'handleResolverUrl' | 'plcUrl'>
  readonly pool: RequestPool
  /** Counts how they end. */
  readonly outcomes?: Tally<FetchOutcome>
  /** What is known of accounts; left out: nothing yet. */
  readonly known?: Identities
  readonly signal: AbortSignal
}

/** How hosts that users name are reached, and how names and accounts are resolved, by requests of one pool. */
export function createOutbound({ config, known, outcomes, pool, signal }: OutboundOptions) {
  const { allowPrivateHosts, dnsServers, handleResolverUrl, plcUrl } = config
  const lookUp = createLookUp({ servers: dnsServers, signal })
  const fetch = createSafeFetch({
    ...pool,
    allowPrivate: allowPrivateHosts,
    directoryHost: new URL(plcUrl).host,
    ...(outcomes !== undefined && { outcomes }),
  })
  const ways = {
    fetch,
    lookUpTxt: (name: string, signal?: AbortSignal) => lookUp('TXT', name, signal),
  }
  const identities =
    known?.by(ways) ??
    new Identities({ ...ways, plcUrl, handleResolverUrl, allowHttp: allowPrivateHosts })
  return { fetch, identities, lookUp }
}
