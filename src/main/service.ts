import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createApp, type WebAsset } from '#api/app.ts'
import { KeyRing } from '#api/key-ring.ts'
import { repoResponseBytesMax } from '#atproto/account-repo.ts'
import { Identities } from '#atproto/identity.ts'
import { createOAuth } from '#atproto/oauth.ts'
import { createSafeFetch } from '#atproto/safe-fetch.ts'
import { createSeal } from '#atproto/seal.ts'
import { diskBlobStore } from '#blobs/disk.ts'
import { BlobRequests } from '#edge/blob-requests.ts'
import { serveSite } from '#edge/edge.ts'
import { plainPage } from '#edge/pages.ts'
import { routeHost } from '#edge/route.ts'
import { followChanges, Snapshots } from '#edge/snapshots.ts'
import { followSites } from '#ingest/follow.ts'
import { runIngestQueue } from '#ingest/ingest-queue-worker.ts'
import type { Log } from '#observe/log.ts'
import type { AtFailPoint } from '#publish/fail-points.ts'
import { recoverJobs, runJobs } from '#publish/jobs.ts'
import { Spool } from '#publish/spool.ts'
import { type SiteAddress, siteLabel } from '#site/site-address.ts'
import { latestChangeSeq } from '#store/changes.ts'
import { type Db, openDatabase } from '#store/database.ts'
import { Hints } from '#store/hints.ts'
import { migrate } from '#store/migrate.ts'
import { deleteSealed, getSealed, putSealed } from '#store/sealed-rows.ts'
import type { Config } from './config.ts'
import { lockDataDir } from './data-lock.ts'
import { keepHouse } from './housekeeping.ts'
import { readSecrets } from './secret-key.ts'

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
  const stores = await openStores(options, opened)
  const network = await openNetwork(config, secrets, stores.db)
  const house = { ...options, ...stores, ...network, ...rulesOf(config), now, secrets }
  await recoverJobs(house)

  const fetch = answerOf(house)
  const background = startBackground(house, signal)
  const open = opened.move()
  return { background, fetch, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

const now = Date.now

type House = ServiceOptions &
  Awaited<ReturnType<typeof openStores>> &
  Awaited<ReturnType<typeof openNetwork>> &
  ReturnType<typeof rulesOf> & { readonly now: () => number; readonly secrets: Secrets }

type Secrets = readonly [string, ...string[]]

async function openStores({ config, log }: ServiceOptions, opened: AsyncDisposableStack) {
  const { databaseUrl: url, dataDir } = config
  const database = opened.use(
    openDatabase(url === undefined ? { file: join(dataDir, 'sitehost.db') } : { url }),
  )
  await migrate(database)
  const blobs = diskBlobStore({
    dir: join(dataDir, 'blobs'),
    onCorrupt: (hash) => log.error('blob damaged on disk', { hash }),
  })
  await blobs.sweep(now())
  const { db } = database
  const spool = new Spool(join(dataDir, 'spool'), { bytesMax: config.spoolBytesMax })
  const hints = new Hints()
  const snapshots = new Snapshots({ db, charsMax: config.snapshotBytesMax })
  const blobRequests = new BlobRequests({ db, hints, log, now })
  return { db, blobs, blobRequests, spool, hints, snapshots }
}

// Uploads run eight at a time a job, and several people's jobs may meet at one server.
const repoSlots = { slotsMax: 32, waitingMax: 1000 }

async function openNetwork(config: Config, secrets: Secrets, db: Db) {
  const { allowPrivateHosts, handleResolverUrl, plcUrl } = config
  const fetch = createSafeFetch({ allowPrivate: allowPrivateHosts })
  const identities = new Identities({
    ...{ fetch, plcUrl, handleResolverUrl },
    allowHttp: allowPrivateHosts,
  })
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
function rulesOf({ baseDomain, failPoint, fileBytesMax, origin, siteBytesMax }: Config) {
  return {
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
  return Promise.all([
    runJobs(house, signal),
    runIngestQueue(house),
    followSites({ ...house, firehoseUrl: house.config.firehoseUrl }),
    followChanges(house),
    keepHouse(house),
  ])
}

function answerOf(house: House): Service['fetch'] {
  const { baseDomain, origin } = house.config
  const { db, secrets } = house
  const app = createApp({
    ...house,
    keys: new KeyRing(secrets),
    origin,
    assertReady: async () => void (await latestChangeSeq(db)),
  })
  const hosts = { applicationHost: new URL(origin).hostname, baseDomain }
  return (request, server) => {
    const route = routeHost(request.headers.get('host'), hosts)
    switch (route.kind) {
      case 'application':
        return app.fetch(request, { server })
      case 'site':
        return serveSite(route.label, request, house)
      case 'base':
        return Response.redirect(origin, 302)
      case 'unknown':
        return plainPage(404, 'No site here')
      case 'bad-host':
        return plainPage(400, 'Bad request')
    }
  }
}
