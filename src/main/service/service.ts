import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileCertificates } from '#certificates/file-certificates.ts'
import { recheckDomains } from '#domains/recheck-domains.ts'
import { Cdn } from '#edge/cdn/cdn.ts'
import { purgeAtOnce } from '#edge/cdn/purge-at-once.ts'
import { purgeCdn } from '#edge/cdn/purge-cdn.ts'
import type { Answer } from '#edge/dispatch.ts'
import { forgetRemoved } from '#edge/files/forget-removed.ts'
import type { Http3End } from '#edge/http3/answer-http3.ts'
import { answerAsk } from '#edge/names/ask.ts'
import { NamesFollower } from '#edge/names/served-names.ts'
import { saveTraffic, trafficInRows } from '#edge/shares/save-traffic.ts'
import { forgetChanged } from '#edge/site-cache.ts'
import type { SerializedAnswers } from '#edge/tls/serialized-answers.ts'
import type { HandshakeEnd } from '#edge/tls/tls-listener.ts'
import type { Config } from '#main/config/config.ts'
import { reportDns } from '#main/doctor/report-dns.ts'
import { followCommands } from '#main/follow-commands.ts'
import { followIdentities } from '#main/follow-identities.ts'
import { answerInternal } from '#main/hosting/answer-internal.ts'
import { checkSeals } from '#main/maintenance/check-seals.ts'
import { forgetRemovedCopies, removedCopiesOf } from '#main/maintenance/removed-copies.ts'
import { maintainVisited, runMaintenance } from '#main/maintenance/run-maintenance.ts'
import { endMinutes } from '#main/metrics/end-minutes.ts'
import { lockDataDir, servicePartsOf } from '#main/process/data-lock.ts'
import { watchDatabaseFile } from '#main/process/watch-database-file.ts'
import { answerRelayedHere } from '#main/relay/relay-to-owner.ts'
import type { Metrics } from '#observe/metrics.ts'
import { runAccountDeletions } from '#publish/account-deletions.ts'
import { recoverJobs, runJobs } from '#publish/jobs/jobs.ts'
import { followChanges } from '#store/database/change-feed.ts'
import { shareWakeUps } from '#store/database/share-wake-ups.ts'
import { runDeliveries } from '#webhooks/run-deliveries.ts'
import type { OrderedCertificates } from './open-certificates.ts'
import { openDispatch } from './open-dispatch.ts'
import {
  elapsed,
  jobContextOf,
  openParts,
  type ServiceOptions,
  type ServiceParts,
} from './open-parts.ts'
import { followInstances, joinInstances } from './several-instances.ts'
import type { Stores } from './stores.ts'

/** The running service: what answers requests, and what runs in the background. */
export interface Service extends AsyncDisposable {
  /** The settings, with where TLS ends. */
  readonly config: Config
  readonly fetch: Answer
  /** Answers a TLS front at ASK_LISTEN. */
  ask(request: Request): Response
  /** Answers the other processes of the service at INTERNAL_LISTEN. */
  internal(request: Request, server: Bun.Server<undefined>, token: string): Promise<Response>
  /** Counts how handshakes end. */
  onHandshake(end: HandshakeEnd): void
  /** Counts how requests over HTTP/3 end. */
  onHttp3Request(end: Http3End): void
  readonly certificateFiles: FileCertificates
  /** Those that this service orders; null: it orders none. */
  readonly certificates: OrderedCertificates | null
  /** What the connections of visitors are answered with. */
  readonly serialized: SerializedAnswers
  /** What Prometheus scrapes. */
  readonly metrics: Metrics
  /** Answers for the processes of this instance that answer its visitors. */
  readonly core: CoreParts
  /** Resolves when later events of the network are seen, as far as the network can be reached. */
  readonly following: Promise<void>
  /** Resolves when all background work has ended after the signal. */
  readonly background: Promise<unknown>
}

/** What the core of an instance does for its edge processes. */
export type CoreParts = Pick<ServiceParts, 'discover' | 'edges'> & Pick<Stores, 'wakeUps'>

/** Connects the rooms to each other and starts what runs in the background. */
export async function openService(options: ServiceOptions): Promise<Service> {
  const { dataDir, roles } = options.config
  await using opened = new AsyncDisposableStack()
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  for (const part of servicePartsOf(roles)) opened.use(await lockDataDir(dataDir, part))
  const lost = Promise.withResolvers<never>()
  const parts = await openParts(options, opened, lost.reject)
  // First: from then on, no other instance ends the jobs that this one continues.
  await joinInstances(parts, opened, lost.reject)
  if (roles.app) {
    await recoverJobs(jobContextOf(parts))
    await parts.deploys.recover()
  }

  const { certificateLog, edge, hosts, ingest } = parts
  const background = Promise.race([startBackground(parts), lost.promise])
  const dispatch = openDispatch(parts)
  const open = opened.move()
  return {
    config: parts.config,
    fetch: dispatch.fetch,
    ask: (request) => answerAsk(request, { ...hosts, names: edge.names, log: certificateLog }),
    internal: (request, server, token) =>
      answerRelayedHere(request, server, { answer: dispatch.relayed, token }) ??
      answerInternal(request, server, { ...parts.hostingPart, edge: edgeContextOf(parts), token }),
    certificateFiles: parts.certificateFiles,
    serialized: edge.serialized,
    certificates: parts.certificates,
    onHandshake: (end) => parts.handshakes.add(end),
    onHttp3Request: (end) => parts.http3Requests.add(end),
    metrics: parts.metrics,
    core: { ...parts, wakeUps: parts.stores.wakeUps },
    following: ingest.started,
    background,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

/** What edges of their own ask of this process. */
const edgeContextOf = ({ discover, now, stores }: ServiceParts) => ({ ...stores, discover, now })

function startBackground(parts: ServiceParts): Promise<unknown> {
  const {
    at,
    config,
    duties,
    edge,
    hosts,
    labelUrl,
    log,
    network,
    now,
    registrations,
    secrets,
    signal,
  } = parts
  const { webhookSeal } = parts
  const { baseDomain, databaseUrl, dataDir } = config
  const { lookUp, oauth } = network
  const { db, spool, wakeUps } = parts.stores
  const loop = { db, wakeUps, log, now, signal }
  const delivering = { fetch: network.fetchWebhook, seal: webhookSeal }
  const answersDns = config.tls !== null && config.tls.dnsListen !== null
  const isAsked = config.askListen !== null || parts.certificates !== null
  const names = isAsked ? new NamesFollower({ ...loop, names: edge.names }) : null
  const ofApplication = () => [
    runJobs(jobContextOf(parts), signal),
    followInstances(parts),
    recheckDomains({ ...loop, baseDomain, lookUp }),
    runAccountDeletions({ ...loop, at, oauth }),
    duties.run('maintenance', ({ signal }) =>
      runMaintenance({ ...loop, ...network, at, config, signal, spool }),
    ),
    duties.run('webhooks', ({ signal }) =>
      runDeliveries({ ...loop, ...delivering, elapsed, labelUrl, signal }),
    ),
    checkSeals({ db, log, oauth, secrets, webhookSeal }),
  ]
  const ofHosting = () => [
    parts.hostingPart.ingest.background,
    names?.run(),
    saveTraffic({
      ...{ log: parts.visitorLog, shares: edge.shares, signal },
      store: trafficInRows(db),
    }),
    parts.certificates?.run(() => reportDns({ ...hosts, answersDns, log, lookUp })),
    purgeCdnOf(parts),
    maintainVisited({ ...loop, ...network, at, config, duties, snapshots: edge.snapshots }),
  ]
  const copies = removedCopiesOf(parts.stores)
  const followers = [
    forgetChanged(edge),
    forgetRemoved({ ...edge, copies, log }),
    registrations,
    followIdentities(parts.hostingPart.forget),
  ]
  if (config.roles.hosting && config.cdnPurge !== null && config.cdnPageSeconds > 0) {
    const cdn = new Cdn({ ...config.cdnPurge, signal })
    followers.push(purgeAtOnce({ baseDomain, cdn, db, log }))
  }
  if (config.roles.app) followers.push(followCommands({ ...loop, oauth, events: parts.events }))
  return Promise.all([
    parts.stores.clock.keep(loop),
    copies !== null && forgetRemovedCopies(copies, loop),
    ...(config.roles.app ? ofApplication() : []),
    ...(config.roles.hosting ? ofHosting() : []),
    followChanges([...followers, ...(names ? [names] : [])], loop),
    endMinutes([parts.hostingPart, parts.operations], loop),
    databaseUrl === undefined
      ? watchDatabaseFile(join(dataDir, 'sitehost.db'), { signal })
      : shareWakeUps({ url: databaseUrl, wakeUps, log, signal }),
  ])
}

async function purgeCdnOf({ config, duties, log, now, stores }: ServiceParts): Promise<void> {
  const { baseDomain, cdnPageSeconds, cdnPurge } = config
  if (cdnPurge === null) return
  const keepsPages = cdnPageSeconds > 0
  await duties.run('cdn', (term) => {
    const { signal } = term
    const cdn = new Cdn({ ...cdnPurge, signal })
    return purgeCdn({ ...stores, baseDomain, cdn, keepsPages, log, now, signal, term })
  })
}
