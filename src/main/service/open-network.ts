import type { Config } from '#main/config/config.ts'
import type { Meters } from '#main/metrics/open-metrics.ts'
import type { Log } from '#observe/log.ts'
import { createSafeFetch } from '#outbound/safe-fetch.ts'
import type { Instance } from '#site/instance.ts'
import type { Db } from '#store/database/database.ts'
import { ofHostAtOnce } from '#webhooks/run-deliveries.ts'
import { openOAuth } from './open-oauth.ts'
import { createOutbound } from './outbound.ts'
import { requestsAtOnce } from './requests-at-once.ts'

interface NetworkOptions {
  readonly config: Config
  readonly instance: Instance
  readonly log: Log
  /** Requests are answered until then. */
  readonly shutdown: { readonly over: AbortSignal }
}

// A job uploads eight blobs at a time, and several jobs may use the same server.
const requestsPerRepoHost = { max: 32, waitingMax: 1000 }

/** How other servers are reached, and the accounts' grants at theirs. */
export async function openNetwork(
  { config, instance, log, shutdown }: NetworkOptions,
  db: Db,
  secrets: readonly [string, ...string[]],
  { fetches }: Meters,
) {
  const { allowPrivateHosts: allowPrivate, origin } = config
  const outbound = createOutbound({
    config,
    outcomes: fetches.application,
    requestsMax: requestsAtOnce.application,
    signal: shutdown.over,
  })
  const repos = {
    outcomes: fetches.repos,
    perHost: requestsPerRepoHost,
    requestsMax: requestsAtOnce.repos,
  }
  const oauth = await openOAuth({
    db,
    identities: outbound.identities,
    log,
    secrets,
    origin,
    shown: instance,
    allowHttp: allowPrivate,
    fetch: createSafeFetch({ ...repos, allowPrivate }),
  })
  const fetchWebhook = createSafeFetch({
    allowPrivate,
    outcomes: fetches.webhooks,
    perHost: { max: ofHostAtOnce, waitingMax: ofHostAtOnce },
    requestsMax: requestsAtOnce.webhooks,
  })
  return { ...outbound, ...oauth, fetchWebhook }
}
