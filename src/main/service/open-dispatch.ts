import { createApp } from '#api/app.ts'
import { KeyRing } from '#api/session/key-ring.ts'
import { type Answer, createDispatch } from '#edge/dispatch.ts'
import type { Config } from '#main/config/config.ts'
import { readiness } from '#main/process/readiness.ts'
import { relayToOwner } from '#main/relay/relay-to-owner.ts'
import { siteAtUrl } from '#main/site-at-url.ts'
import { latestChangeSeq } from '#store/database/changes.ts'
import { jobContextOf, type ServiceParts } from './open-parts.ts'
import { requestPools } from './request-pools.ts'

interface Dispatch {
  /** Answers every request: the application and the sites. */
  readonly fetch: Answer
  /** Answers the application's requests that other instances relay. */
  readonly relayed: Answer
}

export function openDispatch(parts: ServiceParts): Dispatch {
  const { config, discover, edge, hosts, requests, siteUrl, stores, visitorLog } = parts
  const { countryHeader, origin, redirectsToHttps, trustedProxies } = config
  const app = openApplication(parts)
  const relayed: Answer = (request, server) => app.fetch(request, { server })
  const fetch = createDispatch({
    application: withOwners(relayed, parts),
    origin,
    ...hosts,
    front: { countryHeader, redirectsToHttps, trustedProxies },
    visits: { ...edge, log: visitorLog, now: parts.now },
    addresses: {
      addresses: edge.addresses,
      db: stores.db,
      pages: edge.pages,
      siteUrl,
      ...(discover && { discover }),
    },
    metrics: requests,
    elsewhere: elsewhereOf(config.roles),
  })
  return { fetch, relayed }
}

/** Of several instances, the one that has the files answers. */
function withOwners(answer: Answer, { config, log, signal, stores }: ServiceParts): Answer {
  if (!config.isOneOfSeveral || config.internal === null) return answer
  return relayToOwner(answer, {
    db: stores.db,
    instance: stores.spool.instance,
    token: config.internal.token,
    relayedMax: requestPools.instances.requestsMax,
    log,
    stopping: signal,
  })
}

function elsewhereOf({ app, hosting }: Config['roles']): 'application' | 'sites' | null {
  if (!app) return 'application'
  return hosting ? null : 'sites'
}

function openApplication(parts: ServiceParts) {
  const { config, hosts, hostingPart, metrics, network, registrations, secrets, shutdown, stores } =
    parts
  const { alsoServe, baseDomain, limits, metricsToken, origin, reservedNames, shares, signIn } =
    config
  const { subdomainsMax, trustedProxies } = config
  return createApp({
    ...jobContextOf(parts),
    deploys: parts.deploys,
    unready: readiness([
      { problem: 'The database does not answer.', ask: () => latestChangeSeq(stores.db) },
      {
        problem:
          config.blobStore === null
            ? 'The folder of the blobs is not there: is its disk mounted?'
            : 'The bucket of the blobs does not answer.',
        ask: () => stores.blobs.assertThere(),
      },
    ]),
    baseDomain,
    certificates: parts.certificateStates,
    keys: new KeyRing(secrets),
    limits,
    alsoServe,
    allowPrivateHosts: config.allowPrivateHosts,
    fetchIssuer: network.fetchIssuer,
    signInIdentities: network.signInIdentities,
    lookUp: network.lookUp,
    metrics: metricsToken === null ? null : { token: metricsToken, text: () => metrics.text() },
    operations: parts.operations,
    origin,
    pageErrors: parts.pageErrors,
    registrations,
    reservedNames,
    shares,
    shutdown,
    signIn,
    siteAt: (url) => siteAtUrl(url, { db: stores.db, ...hosts }),
    subdomainsMax,
    syncAccount: hostingPart.sync,
    trustedProxies,
    webAssets: parts.webAssets,
    webhookSeal: parts.webhookSeal,
  })
}
