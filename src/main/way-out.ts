import { Identities } from '#atproto/identity/identity.ts'
import type { Config } from '#main/config/config.ts'
import type { LookUp } from '#outbound/dns/look-up.ts'
import { createSafeFetch } from '#outbound/safe-fetch.ts'

/** How hosts that users name are reached, and how their accounts are resolved. */
export function openWayOut(
  {
    allowPrivateHosts,
    handleResolverUrl,
    plcUrl,
  }: Pick<Config, 'allowPrivateHosts' | 'handleResolverUrl' | 'plcUrl'>,
  lookUp: LookUp,
  requestsMax: number,
) {
  const fetch = createSafeFetch({ allowPrivate: allowPrivateHosts, requestsMax })
  const identities = new Identities({
    ...{ fetch, plcUrl, handleResolverUrl },
    lookUpTxt: (name, signal) => lookUp('TXT', name, signal),
    allowHttp: allowPrivateHosts,
  })
  return { fetch, identities }
}
