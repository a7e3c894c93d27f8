import { join } from 'node:path'
import type { Shutdown } from '#api/context.ts'
import type { CacheStats } from '#api/operations.ts'
import { Registrations } from '#api/routes/domains/registrations.ts'
import type { WebAsset } from '#api/web-asset.ts'
import { CertificateStates } from '#certificates/certificate-states.ts'
import { CertificateLog } from '#edge/names/certificate-log.ts'
import type { Config } from '#main/config/config.ts'
import { readSecrets } from '#main/config/secret-key.ts'
import { siteUrlsOf } from '#main/config/site-urls.ts'
import { failAt } from '#main/fail-at.ts'
import { openHosting } from '#main/hosting/open-hosting.ts'
import { newMeters, openMetrics } from '#main/metrics/open-metrics.ts'
import { openSpans } from '#main/process/open-spans.ts'
import type { StartError } from '#main/process/start-failure.ts'
import { EdgeProcesses } from '#main/supervisor/edge-processes.ts'
import { cacheOf } from '#main/supervisor/edge-report.ts'
import { logOfService } from '#observe/log-of-service.ts'
import type { LogQueue } from '#observe/log-queue.ts'
import { rateLimitedLog } from '#observe/rate-limited-log.ts'
import type { RunningLog } from '#observe/start-log.ts'
import type { Tally } from '#observe/tally.ts'
import { version } from '#package.json'
import { OpenDeploys } from '#publish/deploy/open-deploys.ts'
import { RecentRepositories } from '#publish/repository/recent-repositories.ts'
import type { Instance } from '#site/instance.ts'
import { openWebhookSeal } from '#webhooks/webhook-secret.ts'
import {
  assertReadable,
  openFileCertificates,
  openOrderedCertificates,
} from './open-certificates.ts'
import { openDuties } from './open-duties.ts'
import { discoveryOf, openEdge } from './open-edge.ts'
import { openNetwork } from './open-network.ts'
import { openOperations } from './open-operations.ts'
import { openServiceStores } from './open-service-stores.ts'
import { settleTls } from './settle-tls.ts'

export interface ServiceOptions {
  readonly config: Config
  /** The log's, in this thread. */
  readonly events: Tally<string>
  readonly log: RunningLog
  /** Entries of the log until the database is open. */
  readonly logQueue: LogQueue
  readonly webAssets: ReadonlyMap<string, WebAsset>
  readonly instance: Instance
  /** Ends background work. */
  readonly signal: AbortSignal
  /** Whether other processes of this instance answer its visitors. */
  readonly isCore: boolean
  /** Requests are answered for a while after the signal. */
  readonly shutdown: Shutdown & { readonly over: AbortSignal }
}

/** What the service consists of, opened; nothing runs in the background yet. */
export type ServiceParts = Awaited<ReturnType<typeof openParts>>

export async function openParts(
  given: ServiceOptions,
  opened: AsyncDisposableStack,
  onLost: (reason: StartError) => void,
) {
  const { log, shutdown, signal } = given
  const secrets = await readSecrets(given.config.secrets, given.config.dataDir)
  const stores = await openServiceStores(given, opened, onLost)
  const { db, wakeUps } = stores
  const { now } = stores.clock
  const config = await settleTls(given.config, { db, log })
  const options = { ...given, config }
  const { baseDomain, origin } = config
  const meters = newMeters(options.events, now)
  const network = await openNetwork(options, db, secrets, meters)
  const { identities } = network
  const { labelUrl, originOf, siteUrl } = siteUrlsOf(config)
  /** For messages that anybody can cause. */
  const visitorLog = rateLimitedLog(logOfService(log, 'hosting-service'))
  const loop = { ...stores, elapsed, log: visitorLog, now, signal: shutdown.over }
  const edge = openEdge({ ...loop, config, decodedDir: join(config.dataDir, 'decoded'), originOf })
  const { handshakes, http3Requests, pageErrors, requests } = meters
  const edges = options.isCore ? new EdgeProcesses(requests) : null
  const cache = (): CacheStats => edges?.cache ?? cacheOf(edge)
  const { over } = shutdown
  const hostingPart = openHosting(
    { ...{ cache, config, db, secrets, identities, log, now, over, requests, signal, wakeUps } },
    opened,
  )
  const { hosting, ingest } = hostingPart
  const at = failAt(config)
  const certificateFiles = await openFileCertificates(config.tls?.files ?? [])
  await assertReadable(config.tls?.ordering?.caFile ?? null)
  const hosts = { applicationHost: new URL(origin).hostname, baseDomain }
  const ordersWildcard = config.tls !== null && config.tls.dnsListen !== null
  const orders = {
    ...{ db, wakeUps, log, hosts, ordersWildcard, secrets, now, signal },
    names: edge.names,
  }
  const certificates = config.tls?.ordering
    ? await openOrderedCertificates(certificateFiles, orders)
    : null
  const states = { db, files: certificateFiles, isOrdering: certificates !== null, now }
  const certificateStates = config.tls === null ? null : new CertificateStates(states)
  return {
    ...options,
    at,
    certificateFiles,
    certificates,
    certificateStates,
    certificateLog: new CertificateLog({ log: logOfService(log, 'hosting-service'), now: elapsed }),
    deploys: new OpenDeploys({ ...stores, at, elapsed, log, now }),
    discover:
      config.ingest === 'visited'
        ? discoveryOf({
            ...{ ...stores, awaited: edge.awaited, elapsed, now, signal },
            identities: network.discoveries,
          })
        : null,
    duties: openDuties({ config, log, signal, wakeUps }, opened),
    edge,
    handshakes,
    http3Requests,
    edges,
    hostingPart,
    hosts,
    ingest,
    now,
    metrics: openMetrics(
      {
        ...{ ...loop, cache, config, edges, ingest, meters, version },
        certificates: certificateStates,
        refusals: edge.shares.refusals,
      },
      opened,
    ),
    network,
    pageErrors,
    operations: openOperations({ ...loop, config, edges, hosting, requests, version }),
    recentRepositories: new RecentRepositories(),
    registrations: opened.use(new Registrations({ db, wakeUps })),
    requests,
    secrets,
    spans: await openSpans({ config, part: 'main-app', log }, opened),
    labelUrl,
    siteUrl,
    stores,
    visitorLog,
    webhookSeal: await openWebhookSeal(secrets),
  }
}

/** What jobs use, and the application too. */
export function jobContextOf(parts: ServiceParts) {
  const { at, deploys, labelUrl, log, network, now, recentRepositories, siteUrl, spans } = parts
  const { identities, oauth } = network
  const onDeployReopened = (id: string) => deploys.adopt(id)
  const filesMax = parts.config.limits.siteFilesMax
  const loop = {
    ...parts.stores,
    at,
    elapsed,
    filesMax,
    log,
    now,
    onDeployReopened,
    recentRepositories,
  }
  return { ...loop, identities, labelUrl, oauth, siteUrl, spans }
}

/** Monotonic: for limits, pauses and timeouts, which a change of the clock must not affect. */
export const elapsed = (): number => performance.now()
