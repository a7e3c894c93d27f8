import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createApp, type WebAsset } from '#api/app.ts'
import type { Shutdown } from '#api/context.ts'
import { Registrations } from '#api/routes/registrations.ts'
import { KeyRing } from '#api/session/key-ring.ts'
import { recheckDomains } from '#domains/recheck-domains.ts'
import { createDispatch } from '#edge/dispatch.ts'
import { answerAsk } from '#edge/names/ask.ts'
import { NamesFollower } from '#edge/names/served-names.ts'
import { forgetChanged } from '#edge/snapshots.ts'
import type { Config } from '#main/config/config.ts'
import { readSecrets } from '#main/config/secret-key.ts'
import { checkSeals } from '#main/maintenance/check-seals.ts'
import { runMaintenance } from '#main/maintenance/run-maintenance.ts'
import { lockDataDir } from '#main/process/data-lock.ts'
import { renewalMsMax, takeServiceLease } from '#main/process/service-lease.ts'
import type { StartError } from '#main/process/start-failure.ts'
import { watchDatabaseFile } from '#main/process/watch-database-file.ts'
import type { Log } from '#observe/log.ts'
import { rateLimitedLog } from '#observe/rate-limited-log.ts'
import { createSafeFetch } from '#outbound/safe-fetch.ts'
import { runAccountDeletions } from '#publish/account-deletions.ts'
import { recoverJobs, runJobs } from '#publish/jobs/jobs.ts'
import { Spool } from '#publish/upload/spool.ts'
import { type SiteAddress, siteLabel } from '#site/site-address.ts'
import { followChanges } from '#store/database/change-feed.ts'
import { latestChangeSeq } from '#store/database/changes.ts'
import { type Db, openDatabase } from '#store/database/database.ts'
import { failAt } from './fail-at.ts'
import { discoveryOf, openEdge } from './open-edge.ts'
import { openOAuth } from './open-oauth.ts'
import { createOutbound } from './outbound.ts'
import { readiness } from './process/readiness.ts'
import { requestsAtOnce } from './requests-at-once.ts'
import { startIngest } from './start-ingest.ts'
import { openStores } from './stores.ts'

/** The running service: what answers requests, and what runs in the background. */
export interface Service extends AsyncDisposable {
  fetch(request: Request, server: Bun.Server<undefined>): Response | Promise<Response>
  /** Answers a TLS front at ASK_LISTEN. */
  ask(request: Request): Response
  /** Resolves when later events of the network are seen, as far as the network can be reached. */
  readonly following: Promise<void>
  /** Resolves when all background work has ended after the signal. */
  readonly background: Promise<unknown>
}

interface ServiceOptions {
  readonly config: Config
  readonly log: Log
  readonly webAssets: ReadonlyMap<string, WebAsset>
  /** Ends background work. */
  readonly signal: AbortSignal
  /** Requests are answered for a while after the signal. */
  readonly shutdown: Shutdown & { readonly over: AbortSignal }
}

/** Connects the rooms to each other and starts what runs in the background. */
export async function openService(options: ServiceOptions): Promise<Service> {
  const { dataDir } = options.config
  await using opened = new AsyncDisposableStack()
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  opened.use(await lockDataDir(dataDir))
  const lost = Promise.withResolvers<never>()
  const parts = await openParts(options, opened, lost.reject)
  await recoverJobs(jobContextOf(parts))

  const { edge, hosts, ingest } = parts
  const asked = { ...hosts, names: edge.names }
  const background = Promise.race([startBackground(parts), lost.promise])
  const open = opened.move()
  return {
    fetch: openDispatch(parts),
    ask: (request) => answerAsk(request, asked),
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
  const network = await openNetwork(options, db, secrets)
  const { identities } = network
  /** Of a host of ours: with the scheme and the port of the application. */
  const originOf = (host: string): string => {
    const url = new URL(origin)
    url.hostname = host
    return url.origin
  }
  /** For messages that anybody can cause. */
  const visitorLog = rateLimitedLog(log)
  const loop = { ...stores, elapsed, log: visitorLog, now, signal: shutdown.over }
  return {
    ...options,
    at: failAt(config.failPoint),
    edge: openEdge({ ...loop, config, originOf }),
    hosts: { applicationHost: new URL(origin).hostname, baseDomain },
    ingest: opened.use(startIngest({ config, wakeUps, identities, signal })),
    network,
    registrations: opened.use(new Registrations({ db, wakeUps })),
    secrets,
    /** The address of a site at its own host, with a slash at the end. */
    siteUrl: (site: SiteAddress) => `${originOf(`${siteLabel(site)}.${baseDomain}`)}/`,
    stores,
    visitorLog,
  }
}

async function openServiceStores(
  options: ServiceOptions,
  opened: AsyncDisposableStack,
  onLost: (reason: StartError) => void,
) {
  const { databaseUrl: url, dataDir, spoolBytesMax } = options.config
  const claim = async (db: Db): Promise<void> => {
    const renewals = openDatabase({ url, connectionsMax: 1, answerMsMax: renewalMsMax })
    const { db: renewalDb } = opened.use(renewals)
    opened.use(await takeServiceLease(db, { ...options, renewalDb, onLost }))
  }
  // SQLite is in the data folder, whose lock covers the database as well.
  const stores = await openStores({ ...options, ...(url && { claim }) }, opened)
  await stores.blobs.sweep(now())
  const { floor } = stores
  const spool = new Spool(join(dataDir, 'spool'), { bytesMax: spoolBytesMax, floor })
  return { ...stores, spool }
}

// A job uploads eight blobs at a time, and several jobs may use the same server.
const requestsPerRepoHost = { max: 32, waitingMax: 1000 }

async function openNetwork(
  { config, log, shutdown }: ServiceOptions,
  db: Db,
  secrets: readonly [string, ...string[]],
) {
  const { allowPrivateHosts: allowPrivate, origin } = config
  const requestsMax = requestsAtOnce.application
  const outbound = createOutbound({ config, requestsMax, signal: shutdown.over })
  const repos = { perHost: requestsPerRepoHost, requestsMax: requestsAtOnce.repos }
  const oauth = await openOAuth({
    db,
    identities: outbound.identities,
    log,
    secrets,
    origin,
    allowHttp: allowPrivate,
    fetch: createSafeFetch({ ...repos, allowPrivate }),
  })
  return { ...outbound, ...oauth }
}

function startBackground(parts: ServiceParts): Promise<unknown> {
  const { at, config, edge, ingest, log, network, registrations, secrets, signal } = parts
  const { baseDomain, databaseUrl, dataDir } = config
  const { lookUp, oauth } = network
  const { db, wakeUps } = parts.stores
  const loop = { db, wakeUps, log, now, signal }
  const names = config.askListen && new NamesFollower({ ...loop, names: edge.names })
  return Promise.all([
    ingest.background,
    runJobs(jobContextOf(parts), signal),
    followChanges([forgetChanged(edge), registrations, ...(names ? [names] : [])], loop),
    names?.run(),
    recheckDomains({ ...loop, baseDomain, lookUp }),
    runAccountDeletions({ ...loop, at, oauth }),
    runMaintenance({ ...loop, ...network, at, config, snapshots: edge.snapshots }),
    checkSeals({ db, log, oauth, secrets }),
    databaseUrl === undefined && watchDatabaseFile(join(dataDir, 'sitehost.db'), { signal }),
  ])
}

/** What jobs use, and the application too. */
function jobContextOf({ at, log, network, siteUrl, stores }: ServiceParts) {
  const { identities, oauth } = network
  return { ...stores, at, elapsed, identities, log, now, oauth, siteUrl }
}

function openDispatch(parts: ServiceParts): Service['fetch'] {
  const { config, edge, hosts, network, signal, siteUrl, stores, visitorLog } = parts
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
    addresses: { db: stores.db, siteUrl, discover },
  })
}

function openApplication(parts: ServiceParts) {
  const { config, ingest, network, registrations, secrets, shutdown, stores, webAssets } = parts
  const { baseDomain, limits, origin, reservedNames, subdomainsMax, trustedProxies } = config
  return createApp({
    ...jobContextOf(parts),
    assertReady: readiness({
      database: () => latestChangeSeq(stores.db),
      blobs: () => stores.blobs.assertThere(),
    }),
    baseDomain,
    keys: new KeyRing(secrets),
    limits,
    lookUp: network.lookUp,
    origin,
    registrations,
    reservedNames,
    shutdown,
    subdomainsMax,
    syncAccount: (did) => ingest.sync(did),
    trustedProxies,
    webAssets,
  })
}
