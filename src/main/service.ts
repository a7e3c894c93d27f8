import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createApp } from '#api/app.ts'
import type { Shutdown } from '#api/context.ts'
import { Registrations } from '#api/routes/registrations.ts'
import { KeyRing } from '#api/session/key-ring.ts'
import type { WebAsset } from '#api/web-asset.ts'
import { recheckDomains } from '#domains/recheck-domains.ts'
import { createDispatch } from '#edge/dispatch.ts'
import { forgetRemoved } from '#edge/files/forget-removed.ts'
import { answerAsk } from '#edge/names/ask.ts'
import { Cdn } from '#edge/names/cdn.ts'
import { CertificateLog } from '#edge/names/certificate-log.ts'
import { purgeCdn } from '#edge/names/purge-cdn.ts'
import { NamesFollower } from '#edge/names/served-names.ts'
import { forgetChanged } from '#edge/snapshots.ts'
import type { Config } from '#main/config/config.ts'
import { readSecrets } from '#main/config/secret-key.ts'
import { checkSeals } from '#main/maintenance/check-seals.ts'
import { maintainVisited, runMaintenance } from '#main/maintenance/run-maintenance.ts'
import { endMinutes } from '#main/metrics/end-minutes.ts'
import { newMeters, openMetrics } from '#main/metrics/open-metrics.ts'
import { lockDataDir, servicePartsOf } from '#main/process/data-lock.ts'
import { openSpans } from '#main/process/open-spans.ts'
import type { StartError } from '#main/process/start-failure.ts'
import { readVersion } from '#main/process/version.ts'
import { watchDatabaseFile } from '#main/process/watch-database-file.ts'
import { logOfService } from '#observe/log-of-service.ts'
import type { LogQueue } from '#observe/log-queue.ts'
import type { Metrics } from '#observe/metrics.ts'
import { rateLimitedLog } from '#observe/rate-limited-log.ts'
import type { RunningLog } from '#observe/start-log.ts'
import type { Tally } from '#observe/tally.ts'
import { runAccountDeletions } from '#publish/account-deletions.ts'
import { OpenDeploys } from '#publish/deploy/open-deploys.ts'
import { recoverJobs, runJobs } from '#publish/jobs/jobs.ts'
import { RecentRepositories } from '#publish/recent-repositories.ts'
import type { Instance } from '#site/instance.ts'
import { type SiteAddress, siteLabel } from '#site/site-address.ts'
import { followChanges } from '#store/database/change-feed.ts'
import { latestChangeSeq } from '#store/database/changes.ts'
import { failAt } from './fail-at.ts'
import { followCommands } from './follow-commands.ts'
import { answerInternal } from './hosting/answer-internal.ts'
import { openHosting } from './hosting/open-hosting.ts'
import { discoveryOf, openEdge } from './open-edge.ts'
import { openNetwork } from './open-network.ts'
import { openOperations } from './open-operations.ts'
import { openServiceStores } from './open-service-stores.ts'
import { readiness } from './process/readiness.ts'
import { siteAtUrl } from './site-at-url.ts'

/** The running service: what answers requests, and what runs in the background. */
export interface Service extends AsyncDisposable {
  fetch(request: Request, server: Bun.Server<undefined>): Response | Promise<Response>
  /** Answers a TLS front at ASK_LISTEN. */
  ask(request: Request): Response
  /** Answers the process of the application at INTERNAL_LISTEN. */
  internal(request: Request, server: Bun.Server<undefined>, token: string): Promise<Response>
  /** What Prometheus scrapes. */
  readonly metrics: Metrics
  /** Resolves when later events of the network are seen, as far as the network can be reached. */
  readonly following: Promise<void>
  /** Resolves when all background work has ended after the signal. */
  readonly background: Promise<unknown>
}

interface ServiceOptions {
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
  /** Requests are answered for a while after the signal. */
  readonly shutdown: Shutdown & { readonly over: AbortSignal }
}

/** Connects the rooms to each other and starts what runs in the background. */
export async function openService(options: ServiceOptions): Promise<Service> {
  const { dataDir, roles } = options.config
  await using opened = new AsyncDisposableStack()
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  for (const part of servicePartsOf(roles)) opened.use(await lockDataDir(dataDir, part))
  const lost = Promise.withResolvers<never>()
  const parts = await openParts(options, opened, lost.reject)
  if (roles.app) {
    await recoverJobs(jobContextOf(parts))
    await parts.deploys.recover()
  }

  const { certificateLog, edge, hosts, ingest } = parts
  const background = Promise.race([startBackground(parts), lost.promise])
  const open = opened.move()
  return {
    fetch: openDispatch(parts),
    ask: (request) => answerAsk(request, { ...hosts, names: edge.names, log: certificateLog }),
    internal: (request, server, token) =>
      answerInternal(request, server, { ...parts.hostingPart, signal: parts.signal, token }),
    metrics: parts.metrics,
    following: ingest.started,
    background,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

const now = Date.now
/** Monotonic: for limits, pauses and timeouts, which a change of the clock must not affect. */
const elapsed = (): number => performance.now()

type ServiceParts = Awaited<ReturnType<typeof openParts>>

async function openParts(
  options: ServiceOptions,
  opened: AsyncDisposableStack,
  onLost: (reason: StartError) => void,
) {
  const { config, log, shutdown, signal } = options
  const { baseDomain, origin } = config
  const secrets = await readSecrets(config.secrets, config.dataDir)
  const stores = await openServiceStores(options, opened, onLost)
  const { db, wakeUps } = stores
  const meters = newMeters(options.events, now)
  const network = await openNetwork(options, db, secrets, meters)
  const { identities } = network
  /** Of a host of ours: with the scheme and the port of the application. */
  const originOf = (host: string): string => {
    const url = new URL(origin)
    url.hostname = host
    return url.origin
  }
  const labelUrl = (label: string): string => `${originOf(`${label}.${baseDomain}`)}/`
  /** For messages that anybody can cause. */
  const visitorLog = rateLimitedLog(logOfService(log, 'hosting-service'))
  const loop = { ...stores, elapsed, log: visitorLog, now, signal: shutdown.over }
  const edge = openEdge({ ...loop, config, originOf })
  const { requests } = meters
  const { over } = shutdown
  const hostingPart = openHosting(
    { ...{ config, edge, identities, log, now, over, requests, signal, wakeUps } },
    opened,
  )
  const { hosting, ingest } = hostingPart
  const version = await readVersion()
  const at = failAt(config.failPoint)
  return {
    ...options,
    at,
    certificateLog: new CertificateLog({ log: logOfService(log, 'hosting-service'), now: elapsed }),
    deploys: new OpenDeploys({ ...stores, at, elapsed, log, now }),
    edge,
    hostingPart,
    hosts: { applicationHost: new URL(origin).hostname, baseDomain },
    ingest,
    metrics: openMetrics({ ...loop, config, edge, ingest, meters, version }, opened),
    network,
    operations: openOperations({ ...loop, config, hosting, requests, version }),
    recentRepositories: new RecentRepositories(),
    registrations: opened.use(new Registrations({ db, wakeUps })),
    requests,
    secrets,
    spans: await openSpans({ config, part: 'main-app', log }, opened),
    /** The address of a label below the base domain, with a slash at the end. */
    labelUrl,
    siteUrl: (site: SiteAddress) => labelUrl(siteLabel(site)),
    stores,
    visitorLog,
  }
}

function startBackground(parts: ServiceParts): Promise<unknown> {
  const { at, config, edge, log, network, registrations, secrets, signal } = parts
  const { baseDomain, databaseUrl, dataDir } = config
  const { lookUp, oauth } = network
  const { db, spool, wakeUps } = parts.stores
  const loop = { db, wakeUps, log, now, signal }
  const names = config.askListen && new NamesFollower({ ...loop, names: edge.names })
  const ofApplication = () => [
    runJobs(jobContextOf(parts), signal),
    recheckDomains({ ...loop, baseDomain, lookUp }),
    runAccountDeletions({ ...loop, at, oauth }),
    runMaintenance({ ...loop, ...network, at, config, spool }),
    checkSeals({ db, log, oauth, secrets }),
    parts.hostingPart.followIdentities(),
  ]
  const ofHosting = () => [
    parts.hostingPart.ingest.background,
    names?.run(),
    config.cdnPurge !== null &&
      purgeCdn({ ...loop, baseDomain, cdn: new Cdn({ ...config.cdnPurge, signal }) }),
    maintainVisited({ ...loop, ...network, at, config, snapshots: edge.snapshots }),
  ]
  const followers = [forgetChanged(edge), forgetRemoved({ ...edge, log }), registrations]
  if (config.roles.app) followers.push(followCommands({ ...loop, oauth, events: parts.events }))
  return Promise.all([
    ...(config.roles.app ? ofApplication() : []),
    ...(config.roles.hosting ? ofHosting() : []),
    followChanges([...followers, ...(names ? [names] : [])], loop),
    endMinutes([parts.hostingPart, parts.operations], loop),
    databaseUrl === undefined && watchDatabaseFile(join(dataDir, 'sitehost.db'), { signal }),
  ])
}

/** What jobs use, and the application too. */
function jobContextOf(parts: ServiceParts) {
  const { at, deploys, labelUrl, log, network, recentRepositories, siteUrl, spans, stores } = parts
  const { identities, oauth } = network
  const onDeployReopened = (id: string) => deploys.adopt(id)
  const filesMax = parts.config.limits.siteFilesMax
  const loop = { ...stores, at, elapsed, filesMax, log, now, onDeployReopened, recentRepositories }
  return { ...loop, identities, labelUrl, oauth, siteUrl, spans }
}

function openDispatch(parts: ServiceParts): Service['fetch'] {
  const { config, edge, hosts, network, requests, signal, siteUrl, stores, visitorLog } = parts
  const { countryHeader, origin, redirectsToHttps, trustedProxies } = config
  const app = openApplication(parts)
  const discover =
    config.ingest === 'visited'
      ? discoveryOf({ ...stores, ...network, awaited: edge.awaited, elapsed, now, signal })
      : undefined
  return createDispatch({
    application: (request, server) => app.fetch(request, { server }),
    origin,
    ...hosts,
    front: { countryHeader, redirectsToHttps, trustedProxies },
    visits: { ...edge, log: visitorLog, now },
    addresses: { addresses: edge.addresses, db: stores.db, pages: edge.pages, siteUrl, discover },
    metrics: requests,
    elsewhere: elsewhereOf(config.roles),
  })
}

function elsewhereOf({ app, hosting }: Config['roles']): 'application' | 'sites' | null {
  if (!app) return 'application'
  return hosting ? null : 'sites'
}

function openApplication(parts: ServiceParts) {
  const { config, hosts, hostingPart, metrics, network, registrations, secrets, shutdown, stores } =
    parts
  const { baseDomain, limits, metricsToken, origin, reservedNames, signIn } = config
  const { subdomainsMax, trustedProxies } = config
  return createApp({
    ...jobContextOf(parts),
    deploys: parts.deploys,
    unready: readiness([
      { problem: 'The database does not answer.', ask: () => latestChangeSeq(stores.db) },
      {
        problem: 'The folder of the blobs is not there: is its disk mounted?',
        ask: () => stores.blobs.assertThere(),
      },
    ]),
    baseDomain,
    keys: new KeyRing(secrets),
    limits,
    lookUp: network.lookUp,
    metrics: metricsToken === null ? null : { token: metricsToken, text: () => metrics.text() },
    operations: parts.operations,
    origin,
    registrations,
    reservedNames,
    shutdown,
    signIn,
    siteAt: (url) => siteAtUrl(url, { db: stores.db, ...hosts }),
    subdomainsMax,
    syncAccount: hostingPart.sync,
    trustedProxies,
    webAssets: parts.webAssets,
  })
}
