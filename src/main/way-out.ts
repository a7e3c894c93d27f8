import { Identities } from '#atproto/identity.ts'
import { createSafeFetch } from '#atproto/safe-fetch.ts'
import type { LookUp } from '#domains/look-up.ts'
import type { Config } from './config.ts'

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
