import type { Config } from '#main/config/config.ts'
import type { Meters } from '#main/metrics/open-metrics.ts'
import type { Log } from '#observe/log.ts'
import { createSafeFetch } from '#outbound/safe-fetch.ts'
import type { Instance } from '#site/instance.ts'
import type { Db } from '#store/database/database.ts'
import { openOAuth } from './open-oauth.ts'
import { createOutbound } from './outbound.ts'
import { requestPools } from './request-pools.ts'

interface NetworkOptions {
  readonly config: Config
  readonly instance: Instance
  readonly log: Log
  /** Requests are answered until then. */
  readonly shutdown: { readonly over: AbortSignal }
}

/** How other servers are reached, and the accounts' grants at theirs. */
export async function openNetwork(
  { config, instance, log, shutdown }: NetworkOptions,
  db: Db,
  secrets: readonly [string, ...string[]],
  { fetches }: Meters,
) {
  const { allowPrivateHosts: allowPrivate, origin } = config
  const signal = shutdown.over
  const asks = { config, outcomes: fetches.application, signal }
  const { fetch, identities, lookUp } = createOutbound({ ...asks, pool: requestPools.identities })
  const ofStrangers = { ...asks, known: identities }
  const signIns = createOutbound({
    ...ofStrangers,
    outcomes: fetches.repos,
    pool: requestPools.signIns,
  })
  const discoveries = createOutbound({ ...ofStrangers, pool: requestPools.discoveries })
  const asked = { allowPrivate, outcomes: fetches.application }
  const ofRepos = { allowPrivate, outcomes: fetches.repos }
  const { actorResolver } = identities
  const oauth = await openOAuth({
    db,
    identities,
    log,
    secrets,
    origin,
    shown: instance,
    allowHttp: allowPrivate,
    fetch: createSafeFetch({ ...ofRepos, ...requestPools.members }),
    pools: {
      jobs: { actorResolver, fetch: createSafeFetch({ ...ofRepos, ...requestPools.jobs }) },
      signIns: { actorResolver: signIns.identities.actorResolver, fetch: signIns.fetch },
    },
  })
  return {
    ...oauth,
    discoveries: discoveries.identities,
    fetch,
    fetchIssuer: createSafeFetch({ ...asked, ...requestPools.issuers }),
    fetchWebhook: createSafeFetch({
      allowPrivate,
      outcomes: fetches.webhooks,
      ...requestPools.webhooks,
    }),
    identities,
    lookUp,
    signInIdentities: signIns.identities,
  }
}
