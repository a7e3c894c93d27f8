import { Identities } from '#atproto/identity/identity.ts'
import type { Config } from '#main/config/config.ts'
import type { LookUp } from '#outbound/dns/look-up.ts'
import { createSafeFetch } from '#outbound/safe-fetch.ts'

interface OutboundOptions {
  readonly config: Pick<Config, 'allowPrivateHosts' | 'handleResolverUrl' | 'plcUrl'>
  readonly lookUp: LookUp
  /** Open at the same time. */
  readonly requestsMax: number
}

/** How hosts that users name are reached, and how their accounts are resolved. */
export function createOutbound({ config, lookUp, requestsMax }: OutboundOptions) {
  const { allowPrivateHosts, handleResolverUrl, plcUrl } = config
  const fetch = createSafeFetch({ allowPrivate: allowPrivateHosts, requestsMax })
  const identities = new Identities({
    fetch,
    plcUrl,
    handleResolverUrl,
    lookUpTxt: (name, signal) => lookUp('TXT', name, signal),
    allowHttp: allowPrivateHosts,
  })
  return { fetch, identities }
}
