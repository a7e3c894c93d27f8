import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createApp, type WebAsset } from '#api/app.ts'
import { Registrations } from '#api/routes/registrations.ts'
import { KeyRing } from '#api/session/key-ring.ts'
import type { Shutdown } from '#api/shutdown.ts'
import { RateLimiter } from '#concurrency/rate-limiter.ts'
import { recheckDomains } from '#domains/recheck-domains.ts'
import { createDispatch } from '#edge/dispatch.ts'
import { Bodies } from '#edge/files/bodies.ts'
import { CodingChoices } from '#edge/files/codings.ts'
import { DecodedFiles } from '#edge/files/decoded-files.ts'
import { DecodedStreams } from '#edge/files/decoded-streams.ts'
import { MissingBlobs } from '#edge/files/missing-blobs.ts'
import { Recompressor } from '#edge/files/recompressor.ts'
import { answerAsk } from '#edge/names/ask.ts'
import { AwaitedSites } from '#edge/names/awaited-sites.ts'
import { DiscoverOwner, type Discovery, type Owner } from '#edge/names/discover-owner.ts'
import { Hosts } from '#edge/names/hosts.ts'
import { NamesFollower, ServedNames } from '#edge/names/served-names.ts'
import { forgetChanged, Snapshots } from '#edge/snapshots.ts'
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
import { createLookUp, type LookUp } from '#outbound/dns/look-up.ts'
import { createSafeFetch } from '#outbound/safe-fetch.ts'
import { runAccountDeletions } from '#publish/account-deletions.ts'
import { recoverJobs, runJobs } from '#publish/jobs/jobs.ts'
import { Spool } from '#publish/upload/spool.ts'
import { type SiteAddress, siteLabel } from '#site/site-address.ts'
import { followChanges } from '#store/database/change-feed.ts'
import { latestChangeSeq } from '#store/database/changes.ts'
import { type Db, openDatabase } from '#store/database/database.ts'
import { failAt } from './fail-at.ts'
import { openOAuth } from './open-oauth.ts'
import { createOutbound } from './outbound.ts'
import { readiness } from './readiness.ts'
import { requestsAtOnce } from './requests-at-once.ts'
import { startIngest } from './start-ingest.ts'
import { openStores } from './stores.ts'

/** The running service: what answers requests, and what goes on behind them. */
export interface Service extends AsyncDisposable {
  fetch(request: Request, server: Bun.Server<undefined>): Response | Promise<Response>
  /** Answers a TLS front at ASK_LISTEN. */
  ask(request: Request): Response
  /** Resolves when what happens on the network from now on is seen, where the network can be reached. */
  readonly following: Promise<void>
  /** Resolves when all background work has ended, which it does when the signal is aborted. */
  readonly background: Promise<unknown>
}

interface ServiceOptions {
  readonly config: Config
  readonly log: Log
  readonly webAssets: ReadonlyMap<string, WebAsset>
  /** Ends what goes on in the background. */
  readonly signal: AbortSignal
  /** What answers requests goes on for a while after that. */
  readonly shutdown: Shutdown & { readonly over: AbortSignal }
}

/** Introduces the rooms to each other and starts what runs in the background. */
export async function openService(options: ServiceOptions): Promise<Service> {
  const { config } = options
  await using opened = new AsyncDisposableStack()
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 })
  opened.use(await lockDataDir(config.dataDir))
  const lost = Promise.withResolvers<never>()
  const parts = await openParts(options, opened, lost.reject)
  await recoverJobs(jobContextOf(parts))

  const { applicationHost, edge, ingest } = parts
  const { names } = edge
  const asked = { names, applicationHost, baseDomain: config.baseDomain }
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
/** What a clock that jumps must not change: limits, pauses, and how long something is waited for. */
const elapsed = (): number => performance.now()

async function openParts(
  options: ServiceOptions,
  opened: AsyncDisposableStack,
  onLost: (reason: StartError) => void,
) {
  const { config, log, shutdown, signal } = options
  const secrets = await readSecrets(config.secrets, config.dataDir)
  const stores = await openServiceStores(options, opened, onLost)
  const { db, wakeUps } = stores
  const lookUp = createLookUp({ servers: config.dnsServers, signal: shutdown.over })
  const network = await openNetwork(options, { db, lookUp, secrets })
  const { identities } = network
  const visitorLog = rateLimitedLog(log)
  return {
    ...options,
    applicationHost: new URL(config.origin).hostname,
    at: failAt(config.failPoint),
    edge: openEdge({ ...options, log: visitorLog }, stores),
    ingest: opened.use(startIngest({ config, wakeUps, identities, signal })),
    lookUp,
    network,
    registrations: opened.use(new Registrations({ db, wakeUps })),
    secrets,
    /** Where visitors reach a site at its own host, with a slash at the end. */
    siteUrl: (site: SiteAddress) =>
      `${originAt(`${siteLabel(site)}.${config.baseDomain}`, config.origin)}/`,
    stores,
    /** For what strangers can cause at will. */
    visitorLog,
  }
}

type ServiceParts = Awaited<ReturnType<typeof openParts>>

type ServiceStores = Awaited<ReturnType<typeof openServiceStores>>

type Secrets = readonly [string, ...string[]]

async function openServiceStores(
  options: ServiceOptions,
  opened: AsyncDisposableStack,
  onLost: (reason: StartError) => void,
) {
  const { databaseUrl, dataDir, spoolBytesMax } = options.config
  const claim = async (db: Db): Promise<void> => {
    const renewals = openDatabase({
      url: databaseUrl,
      connectionsMax: 1,
      answerMsMax: renewalMsMax,
    })
    const { db: renewalDb } = opened.use(renewals)
    opened.use(await takeServiceLease(db, { ...options, renewalDb, onLost }))
  }
  // SQLite is in the data folder, whose lock is the database's as well.
  const stores = await openStores({ ...options, ...(databaseUrl && { claim }) }, opened)
  await stores.blobs.sweep(now())
  const { floor } = stores
  const spool = new Spool(join(dataDir, 'spool'), { bytesMax: spoolBytesMax, floor })
  return { ...stores, spool }
}

/** What the edge has in memory, and where it gets it from. */
function openEdge({ config, log, shutdown }: ServiceOptions, stores: ServiceStores) {
  const { blobs, db, floor, wakeUps } = stores
  const originOf = (host: string): string => originAt(host, config.origin)
  const bodies = new Bodies({ blobs, bytesMax: config.bodyBytesMax })
  const missing = new MissingBlobs({
    db,
    blobs,
    elapsed,
    wakeUps,
    log,
    now,
    signal: shutdown.over,
  })
  const snapshots = new Snapshots({
    db,
    log,
    now,
    originOf,
    bytesMax: config.snapshotBytesMax,
    earlierBytesMax: 2 * config.siteBytesMax,
    onUnreadable: (site) => void missing.ask(site),
  })
  const decodedFiles = new DecodedFiles({
    blobs,
    floor,
    bytesMax: config.decodedBytesMax,
    dir: join(config.dataDir, 'decoded'),
  })
  return {
    awaited: new AwaitedSites({ db, now: elapsed }),
    bodies,
    choices: new CodingChoices(),
    decodedFiles,
    decodedStreams: new DecodedStreams(),
    hosts: new Hosts({ db, originOf }),
    missing,
    names: new ServedNames(),
    recompressor: new Recompressor({ bodies, log }),
    snapshots,
  }
}

// Uploads run eight at a time a job, and several people's jobs may meet at one server.
const requestsPerRepoHost = { max: 32, waitingMax: 1000 }

async function openNetwork(
  { config, log }: ServiceOptions,
  { db, lookUp, secrets }: { db: Db; lookUp: LookUp; secrets: Secrets },
) {
  const { allowPrivateHosts, origin } = config
  const requestsMax = requestsAtOnce.application
  const { fetch, identities } = createOutbound({ config, lookUp, requestsMax })
  const { clientKeys, oauth } = await openOAuth({
    db,
    identities,
    log,
    secrets,
    origin,
    allowHttp: allowPrivateHosts,
    fetch: createSafeFetch({
      allowPrivate: allowPrivateHosts,
      perHost: requestsPerRepoHost,
      requestsMax: requestsAtOnce.repos,
    }),
  })
  return { clientKeys, fetch, identities, oauth }
}

/** Where visitors reach a host of ours: by the scheme and the port of the application. */
function originAt(host: string, origin: string): string {
  const url = new URL(origin)
  url.hostname = host
  return url.origin
}

function startBackground(parts: ServiceParts): Promise<unknown> {
  const { at, config, edge, ingest, log, lookUp, registrations, secrets, signal } = parts
  const { baseDomain, databaseUrl, dataDir } = config
  const { oauth } = parts.network
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
    runMaintenance({ ...loop, ...parts.network, at, config, snapshots: edge.snapshots }),
    checkSeals({ db, log, oauth, secrets }),
    databaseUrl === undefined && watchDatabaseFile(join(dataDir, 'sitehost.db'), { signal }),
  ])
}

/** What jobs use, and the application too. */
function jobContextOf({ at, log, network, siteUrl, stores }: ServiceParts) {
  return {
    at,
    blobs: stores.blobs,
    db: stores.db,
    elapsed,
    wakeUps: stores.wakeUps,
    identities: network.identities,
    log,
    now,
    oauth: network.oauth,
    siteUrl,
    spool: stores.spool,
  }
}

function openDispatch(parts: ServiceParts): Service['fetch'] {
  const { applicationHost, config, edge, siteUrl, stores, visitorLog } = parts
  const { baseDomain, countryHeader, origin, redirectsToHttps, trustedProxies } = config
  const app = openApplication(parts)
  return createDispatch({
    application: (request, server) => app.fetch(request, { server }),
    origin,
    applicationHost,
    baseDomain,
    front: { countryHeader, redirectsToHttps, trustedProxies },
    visits: { ...edge, log: visitorLog, now },
    addresses: { db: stores.db, siteUrl, discover: discoveryOf(parts) },
  })
}

function openApplication(parts: ServiceParts) {
  const { config, stores } = parts
  const { accountBytesMax, fileBytesMax, siteBytesMax } = config
  return createApp({
    ...jobContextOf(parts),
    assertReady: readiness({
      database: () => latestChangeSeq(stores.db),
      blobs: () => stores.blobs.assertThere(),
    }),
    baseDomain: config.baseDomain,
    keys: new KeyRing(parts.secrets),
    limits: { accountBytesMax, fileBytesMax, siteBytesMax },
    lookUp: parts.lookUp,
    origin: config.origin,
    registrations: parts.registrations,
    reservedNames: config.reservedNames,
    shutdown: parts.shutdown,
    subdomainsMax: config.subdomainsMax,
    syncAccount: (did) => parts.ingest.sync(did),
    trustedProxies: config.trustedProxies,
    webAssets: parts.webAssets,
  })
}

/** Newly visited accounts an hour and client. */
const visitedAllowance = { count: 10, windowMs: 60 * 60 * 1000 }

/** Only `INGEST=visited` gets to know the owners of sites that are visited by their address. */
function discoveryOf({ config, edge, network, signal, stores }: ServiceParts) {
  if (config.ingest !== 'visited') return undefined
  const allowed = new RateLimiter(visitedAllowance, { now: elapsed })
  const owners = new DiscoverOwner({
    db: stores.db,
    wakeUps: stores.wakeUps,
    didOfHandle: (handle, within) => network.identities.didOfHandle(handle, within),
    mayBring: (client) => allowed.take(client) === 0,
    now,
    signal,
  })
  return async (owner: Owner, client: string): Promise<Discovery> => {
    const discovery = await owners.discover(owner, client)
    if (discovery.kind === 'known') edge.awaited.lookAgain()
    return discovery
  }
}
