import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createApp, type WebAsset } from '#api/app.ts'
import { Registrations } from '#api/routes/registrations.ts'
import { KeyRing } from '#api/session/key-ring.ts'
import type { Shutdown } from '#api/shutdown.ts'
import { RateLimiter } from '#concurrency/rate-limiter.ts'
import { recheckDomains } from '#domains/recheck-domains.ts'
import { serveNamed, serveSite } from '#edge/edge.ts'
import { Bodies } from '#edge/files/bodies.ts'
import { CodingChoices } from '#edge/files/codings.ts'
import { DecodedFiles } from '#edge/files/decoded-files.ts'
import { DecodedStreams } from '#edge/files/decoded-streams.ts'
import { MissingBlobs } from '#edge/files/missing-blobs.ts'
import { Recompressor } from '#edge/files/recompressor.ts'
import { redirectToSite } from '#edge/names/address-redirect.ts'
import { answerAsk } from '#edge/names/ask.ts'
import { AwaitedSites } from '#edge/names/awaited-sites.ts'
import { type Front, httpsRedirect, visitedHost, visitorCountry } from '#edge/names/front.ts'
import { Hosts } from '#edge/names/hosts.ts'
import { MeetOwner, type Owner } from '#edge/names/meet-owner.ts'
import { createRouter } from '#edge/names/route.ts'
import { followNames, ServedNames } from '#edge/names/served-names.ts'
import { plainPage } from '#edge/pages.ts'
import { followChanges, Snapshots } from '#edge/snapshots.ts'
import { clientNetworkOf } from '#http/client-address.ts'
import type { Config } from '#main/config/config.ts'
import { readSecrets } from '#main/config/secret-key.ts'
import { checkSeals } from '#main/maintenance/check-seals.ts'
import { keepHouse } from '#main/maintenance/housekeeping.ts'
import { keepVisited } from '#main/maintenance/keep-visited.ts'
import { lockDataDir } from '#main/process/data-lock.ts'
import { renewalMsMax, takeServiceLease } from '#main/process/service-lease.ts'
import type { StartError } from '#main/process/start-failure.ts'
import { watchDatabaseFile } from '#main/process/watch-database-file.ts'
import type { Log } from '#observe/log.ts'
import { rateLimitedLog } from '#observe/rate-limited-log.ts'
import { createLookUp, type LookUp } from '#outbound/dns/look-up.ts'
import { createSafeFetch } from '#outbound/safe-fetch.ts'
import { runDepartures } from '#publish/departures.ts'
import { recoverJobs, runJobs } from '#publish/jobs/jobs.ts'
import { Spool } from '#publish/upload/spool.ts'
import { type SiteAddress, siteLabel } from '#site/site-address.ts'
import { latestChangeSeq } from '#store/database/changes.ts'
import { type Db, openDatabase } from '#store/database/database.ts'
import { failAt } from './fail-at.ts'
import { openOAuth } from './open-oauth.ts'
import { readiness } from './readiness.ts'
import { requestsAtOnce } from './requests-at-once.ts'
import { type IngestThread, startIngest } from './start-ingest.ts'
import { openStores } from './stores.ts'
import { openWayOut } from './way-out.ts'

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
  const { config, shutdown, signal } = options
  await using opened = new AsyncDisposableStack()
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 })
  opened.use(await lockDataDir(config.dataDir))
  const secrets = await readSecrets(config.secrets, config.dataDir)
  const lost = Promise.withResolvers<never>()
  const stores = await openServiceStores(options, opened, lost.reject)
  const lookUp = createLookUp({ servers: config.dnsServers, signal: shutdown.over })
  const network = await openNetwork(options, secrets, { db: stores.db, lookUp })
  const edge = openEdge(options, stores)
  const rules = rulesOf(config)
  const registrations = opened.use(new Registrations(stores))
  const ingest = opened.use(startIngest({ ...stores, ...network, config, signal }))
  const house = {
    ...options,
    ...stores,
    ...edge,
    ...network,
    ...rules,
    ...{ elapsed, ingest, lookUp, now, registrations, secrets },
  }
  await recoverJobs(house)

  const fetch = answerOf(house)
  const ask = (request: Request): Response => answerAsk(request, house)
  const background = Promise.race([startBackground(house, signal), lost.promise])
  const open = opened.move()
  const following = ingest.started
  return { ask, background, fetch, following, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

const now = Date.now
/** What a clock that jumps must not change: limits, pauses, and how long something is waited for. */
const elapsed = (): number => performance.now()

type House = ServiceOptions &
  Stores &
  ReturnType<typeof openEdge> &
  Awaited<ReturnType<typeof openNetwork>> &
  ReturnType<typeof rulesOf> & {
    readonly ingest: IngestThread
    readonly lookUp: LookUp
    readonly now: () => number
    readonly elapsed: () => number
    readonly registrations: Registrations
    readonly secrets: Secrets
  }

type Stores = Awaited<ReturnType<typeof openServiceStores>>

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
function openEdge({ config, log: everyLine, shutdown }: ServiceOptions, stores: Stores) {
  const log = rateLimitedLog(everyLine)
  const { db, blobs, floor, hints } = stores
  const originOf = (host: string): string => originAt(host, config.origin)
  const bodies = new Bodies({ blobs, bytesMax: config.bodyBytesMax })
  const missing = new MissingBlobs({
    ...{ db, blobs, elapsed, hints, log, now },
    signal: shutdown.over,
  })
  const snapshots = new Snapshots({
    ...{ db, log, now, originOf },
    bytesMax: config.snapshotBytesMax,
    earlierBytesMax: 2 * config.siteBytesMax,
    onUnreadable: (site) => void missing.ask(site),
  })
  const decodedFiles = new DecodedFiles({
    ...{ blobs, floor, bytesMax: config.decodedBytesMax },
    dir: join(config.dataDir, 'decoded'),
  })
  const recompressor = new Recompressor({ bodies, log })
  const awaited = new AwaitedSites({ db, now: elapsed })
  const hosts = new Hosts({ db, originOf })
  const choices = new CodingChoices()
  const memory = { bodies, choices, decodedFiles, hosts, names: new ServedNames(), snapshots }
  return { ...memory, awaited, decodedStreams: new DecodedStreams(), missing, recompressor }
}

// Uploads run eight at a time a job, and several people's jobs may meet at one server.
const requestsPerRepoHost = { max: 32, waitingMax: 1000 }

async function openNetwork(
  { config, log }: ServiceOptions,
  secrets: Secrets,
  { db, lookUp }: { db: Db; lookUp: LookUp },
) {
  const { allowPrivateHosts } = config
  const { fetch, identities } = openWayOut(config, lookUp, requestsAtOnce.application)
  const { clientKeys, oauth } = await openOAuth({
    ...{ db, identities, log, secrets, origin: config.origin, allowHttp: allowPrivateHosts },
    fetch: createSafeFetch({
      allowPrivate: allowPrivateHosts,
      perHost: requestsPerRepoHost,
      requestsMax: requestsAtOnce.repos,
    }),
  })
  return { clientKeys, fetch, identities, oauth }
}

/** What every room that needs it is told of the settings. */
function rulesOf(config: Config) {
  const { accountBytesMax, baseDomain, failPoint, fileBytesMax, origin, siteBytesMax } = config
  const { reservedNames, subdomainsMax } = config
  return {
    ...{ baseDomain, reservedNames, subdomainsMax },
    applicationHost: new URL(origin).hostname,
    limits: { accountBytesMax, fileBytesMax, siteBytesMax },
    siteUrl(address: SiteAddress): string {
      return `${originAt(`${siteLabel(address)}.${baseDomain}`, origin)}/`
    },
    at: failAt(failPoint),
  }
}

/** Where visitors reach a host of ours: by the scheme and the port of the application. */
function originAt(host: string, origin: string): string {
  const url = new URL(origin)
  url.hostname = host
  return url.origin
}

function startBackground(house: House, signal: AbortSignal): Promise<unknown> {
  const { databaseUrl, dataDir } = house.config
  return Promise.all([
    house.ingest.background,
    runJobs(house, signal),
    followChanges(house),
    house.registrations.follow(house),
    house.config.askListen !== null && followNames(house),
    recheckDomains(house),
    runDepartures(house),
    keepHouse(house),
    checkSeals(house),
    keepVisited(house),
    databaseUrl === undefined && watchDatabaseFile(join(dataDir, 'sitehost.db'), { signal }),
  ])
}

function answerOf(house: House): Service['fetch'] {
  const { origin, trustedProxies } = house.config
  const { applicationHost, baseDomain, db, secrets } = house
  const app = createApp({
    ...house,
    syncAccount: (did) => house.ingest.sync(did),
    keys: new KeyRing(secrets),
    ...{ origin, trustedProxies },
    assertReady: readiness({
      database: () => latestChangeSeq(db),
      blobs: () => house.blobs.assertThere(),
    }),
  })
  const visitorLog = rateLimitedLog(house.log)
  const addresses = addressesOf({ ...house, log: visitorLog })
  const routeOf = createRouter({ applicationHost, baseDomain })
  // There is one server, known from its first request on.
  let context: (House & ReturnType<typeof behindFront>) | null = null
  return (request, server) => {
    context ??= { ...house, log: visitorLog, ...behindFront(house.config, server) }
    const visited = visitedHost(request, context.front)
    const toHttps = httpsRedirect(request, visited, context.front)
    if (toHttps !== null) return toHttps
    const route = routeOf(visited)
    switch (route.kind) {
      case 'application':
        return app.fetch(request, { server })
      case 'site':
        return serveSite(route, request, context)
      case 'base':
        return Response.redirect(origin, 302)
      case 'named':
        return serveNamed(route, request, context)
      case 'addresses':
        return redirectToSite(request, addresses(server))
      case 'bad-host':
        return plainPage(400, 'Bad request')
    }
  }
}

/** What is believed of whoever passes requests on to this server. */
function behindFront(config: Config, server: Bun.Server<undefined>) {
  const { countryHeader, redirectsToHttps, trustedProxies } = config
  const connectionOf = (request: Request) => server.requestIP(request)?.address ?? null
  const front: Front = { connectionOf, countryHeader, redirectsToHttps, trustedProxies }
  return {
    front,
    clientOf: (request: Request) => clientNetworkOf(request, server, trustedProxies),
    countryOf: (request: Request) => visitorCountry(request, front),
  }
}

/** Newly visited accounts an hour and client. */
const visitedAllowance = { count: 10, windowMs: 60 * 60 * 1000 }

/** What redirects at the address of sites stand on; only `INGEST=visited` gets to know new owners there. */
function addressesOf(house: House) {
  const { awaited, config, elapsed, identities } = house
  if (config.ingest !== 'visited') return () => house
  const allowed = new RateLimiter(visitedAllowance, { now: elapsed })
  const owners = new MeetOwner({
    ...house,
    didOfHandle: (handle, signal) => identities.didOfHandle(handle, signal),
    mayBring: (client) => allowed.take(client) === 0,
  })
  return (server: Bun.Server<undefined>) => ({
    ...house,
    async meet(owner: Owner, request: Request) {
      const client = clientNetworkOf(request, server, config.trustedProxies)
      const meeting = await owners.meet(owner, client)
      if (meeting.kind === 'met') awaited.lookAgain()
      return meeting
    },
  })
}
