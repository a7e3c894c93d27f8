import { Identities } from '#atproto/identity/identity.ts'
import type { Config } from '#main/config/config.ts'
import type { Tally } from '#observe/tally.ts'
import { createLookUp } from '#outbound/dns/look-up.ts'
import { createSafeFetch, type FetchOutcome } from '#outbound/safe-fetch.ts'

interface OutboundOptions {
  readonly config: Pick<Config, 'allowPrivateHosts' | 'dnsServers' | 'handleResolverUrl' | 'plcUrl'>
  /** Open at the same time. */
  readonly requestsMax: number
  /** Counts how they end. */
  readonly outcomes?: Tally<FetchOutcome>
  readonly signal: AbortSignal
}

/** How hosts that users name are reached, and how names and accounts are resolved. */
export function createOutbound({ config, outcomes, requestsMax, signal }: OutboundOptions) {
  const { allowPrivateHosts, dnsServers, handleResolverUrl, plcUrl } = config
  const lookUp = createLookUp({ servers: dnsServers, signal })
  const fetch = createSafeFetch({
    allowPrivate: allowPrivateHosts,
    requestsMax,
    ...(outcomes !== undefined && { outcomes }),
  })
  const identities = new Identities({
    fetch,
    plcUrl,
    handleResolverUrl,
    lookUpTxt: (name, signal) => lookUp('TXT', name, signal),
    allowHttp: allowPrivateHosts,
  })
  return { fetch, identities, lookUp }
}
