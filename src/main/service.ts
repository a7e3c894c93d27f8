import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createApp, type WebAsset } from '#api/app.ts'
import { KeyRing } from '#api/key-ring.ts'
import { repoResponseBytesMax } from '#atproto/account-repo.ts'
import { createOAuth } from '#atproto/oauth.ts'
import { createSafeFetch } from '#atproto/safe-fetch.ts'
import { createSeal } from '#atproto/seal.ts'
import { createLookUp, type LookUp } from '#domains/look-up.ts'
import { recheckDomains } from '#domains/recheck-domains.ts'
import { redirectToSite } from '#edge/address-redirect.ts'
import { AwaitedSites } from '#edge/awaited-sites.ts'
import { Bodies } from '#edge/bodies.ts'
import { CodingChoices } from '#edge/codings.ts'
import { DecodedFiles } from '#edge/decoded-files.ts'
import { serveNamed, serveSite } from '#edge/edge.ts'
import { Hosts } from '#edge/hosts.ts'
import { MissingBlobs } from '#edge/missing-blobs.ts'
import { plainPage } from '#edge/pages.ts'
import { Recompressor } from '#edge/recompressor.ts'
import { createRouter } from '#edge/route.ts'
import { followChanges, Snapshots } from '#edge/snapshots.ts'
import { runAccountQueue } from '#ingest/account-queue-worker.ts'
import { AccountSyncs } from '#ingest/account-syncs.ts'
import { followSites } from '#ingest/follow.ts'
import { runIngestQueue } from '#ingest/ingest-queue-worker.ts'
import type { Log } from '#observe/log.ts'
import type { AtFailPoint } from '#publish/fail-points.ts'
import { recoverJobs, runJobs } from '#publish/jobs.ts'
import { Spool } from '#publish/spool.ts'
import { type SiteAddress, siteLabel } from '#site/site-address.ts'
import { latestChangeSeq } from '#store/changes.ts'
import type { Db } from '#store/database.ts'
import { deleteSealed, getSealed, putSealed } from '#store/sealed-rows.ts'
import type { Config } from './config.ts'
import { lockDataDir } from './data-lock.ts'
import { keepHouse } from './housekeeping.ts'
import { keepBlobs } from './keep-blobs.ts'
import { readSecrets } from './secret-key.ts'
import { openStores } from './stores.ts'
import { openWayOut } from './way-out.ts'

/** The running service: what answers requests, and what goes on behind them. */
export interface Service extends AsyncDisposable {
  fetch(request: Request, server: Bun.Server<undefined>): Response | Promise<Response>
  /** Resolves when all background work has ended, which it does when the signal is aborted. */
  readonly background: Promise<unknown>
}

interface ServiceOptions {
  readonly config: Config
  readonly log: Log
  readonly webAssets: ReadonlyMap<string, WebAsset>
  readonly signal: AbortSignal
}

/** Introduces the rooms to each other and starts what runs in the background. */
export async function openService(options: ServiceOptions): Promise<Service> {
  const { config, signal } = options
  await using opened = new AsyncDisposableStack()
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 })
  opened.use(await lockDataDir(config.dataDir))
  const secrets = await readSecrets(config.secrets, config.dataDir)
  const stores = await openServiceStores(options, opened)
  const network = await openNetwork(config, secrets, stores.db)
  const edge = openEdge(options, stores)
  const lookUp = createLookUp({ servers: config.dnsServers, signal })
  const rules = rulesOf(config)
  const house = { ...options, ...stores, ...edge, ...network, ...rules, lookUp, now, secrets }
  await recoverJobs(house)

  const fetch = answerOf(house)
  const background = startBackground(house, signal)
  const open = opened.move()
  return { background, fetch, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

const now = Date.now

type House = ServiceOptions &
  Stores &
  ReturnType<typeof openEdge> &
  Awaited<ReturnType<typeof openNetwork>> &
  ReturnType<typeof rulesOf> & {
    readonly lookUp: LookUp
    readonly now: () => number
    readonly secrets: Secrets
  }

type Stores = Awaited<ReturnType<typeof openServiceStores>>

type Secrets = readonly [string, ...string[]]

async function openServiceStores(options: ServiceOptions, opened: AsyncDisposableStack) {
  const { dataDir, spoolBytesMax } = options.config
  const stores = await openStores(options, opened)
  await stores.blobs.sweep(now())
  return { ...stores, spool: new Spool(join(dataDir, 'spool'), { bytesMax: spoolBytesMax }) }
}

/** What the edge has in memory, and where it gets it from. */
function openEdge({ config, log, signal }: ServiceOptions, stores: Stores) {
  const { db, blobs, hints } = stores
  const bodies = new Bodies({ blobs, bytesMax: config.bodyBytesMax })
  const missing = new MissingBlobs({ db, blobs, hints, log, now, signal })
  const snapshots = new Snapshots({
    ...{ db, log, now },
    bytesMax: config.snapshotBytesMax,
    earlierBytesMax: 2 * config.siteBytesMax,
    onUnreadable: (site) => void missing.ask(site),
  })
  const decodedFiles = new DecodedFiles({
    ...{ blobs, bytesMax: config.decodedBytesMax },
    dir: join(config.dataDir, 'decoded'),
  })
  const recompressor = new Recompressor({ bodies, log })
  const awaited = new AwaitedSites({ db, now })
  const hosts = new Hosts({ db })
  const choices = new CodingChoices()
  return { awaited, bodies, choices, decodedFiles, hosts, missing, recompressor, snapshots }
}

// Uploads run eight at a time a job, and several people's jobs may meet at one server.
const repoSlots = { slotsMax: 32, waitingMax: 1000 }

async function openNetwork(config: Config, secrets: Secrets, db: Db) {
  const { allowPrivateHosts } = config
  const { fetch, identities } = openWayOut(config)
  const oauth = createOAuth({
    redirectUri: `${config.origin}/api/auth/callback`,
    identities,
    fetch: createSafeFetch({
      allowPrivate: allowPrivateHosts,
      slots: repoSlots,
      limits: { responseBytesMax: repoResponseBytesMax },
    }),
    rows: {
      get: (kind, key) => getSealed(db, { kind, key }, now()),
      put: (kind, key, sealed, expiresAt) => putSealed(db, { kind, key, sealed, expiresAt }),
      delete: (kind, key) => deleteSealed(db, { kind, key }),
    },
    seal: await createSeal(secrets, 'sitehost oauth rows'),
    allowHttp: allowPrivateHosts,
  })
  return { fetch, identities, oauth }
}

/** What every room that needs it is told of the settings. */
function rulesOf(config: Config) {
  const { baseDomain, failPoint, fileBytesMax, origin, siteBytesMax, subdomainsMax } = config
  return {
    ...{ baseDomain, subdomainsMax },
    limits: { fileBytesMax, siteBytesMax },
    siteUrl(address: SiteAddress): string {
      const url = new URL(origin)
      url.hostname = `${siteLabel(address)}.${baseDomain}`
      return url.href
    },
    at: failAt(failPoint),
  }
}

/** What a test asks for with FAILPOINT: the process dies there, as a power cut would have it. */
function failAt(failPoint: Config['failPoint']): AtFailPoint {
  return (point) => {
    if (point === failPoint) process.kill(process.pid, 'SIGKILL')
  }
}

function startBackground(house: House, signal: AbortSignal): Promise<unknown> {
  const { allowPrivateHosts, firehoseUrl, ingest } = house.config
  return Promise.all([
    runJobs(house, signal),
    runIngestQueue(house),
    // Slots of its own: whether an account is still there is not asked behind somebody's large files.
    runAccountQueue({ ...house, fetch: createSafeFetch({ allowPrivate: allowPrivateHosts }) }),
    followSites({ ...house, firehoseUrl, meetsAll: ingest === 'all' }),
    followChanges(house),
    recheckDomains(house),
    keepHouse(house),
    keepBlobs(house),
  ])
}

function answerOf(house: House): Service['fetch'] {
  const { baseDomain, origin } = house.config
  const { db, secrets } = house
  const syncs = new AccountSyncs(house)
  const app = createApp({
    ...house,
    syncAccount: (did) => syncs.run(did),
    keys: new KeyRing(secrets),
    origin,
    assertReady: async () => void (await latestChangeSeq(db)),
  })
  const routeOf = createRouter({ applicationHost: new URL(origin).hostname, baseDomain })
  return (request, server) => {
    const route = routeOf(request.headers.get('host'))
    switch (route.kind) {
      case 'application':
        return app.fetch(request, { server })
      case 'site':
        return serveSite(route, request, house)
      case 'base':
        return Response.redirect(origin, 302)
      case 'named':
        return serveNamed(route, request, house)
      case 'addresses':
        return redirectToSite(request, house)
      case 'bad-host':
        return plainPage(400, 'Bad request')
    }
  }
}
