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
import { openDatabase } from '#store/database.ts'
import { Hints } from '#store/hints.ts'
import { migrate } from '#store/migrate.ts'
import { deleteSealed, getSealed, putSealed } from '#store/sealed-rows.ts'
import type { Config } from './config.ts'
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

// Uploads run eight at a time a job, and several people's jobs may meet at one server.
const repoSlots = { slotsMax: 32, waitingMax: 1000 }

/** What a test asks for with FAILPOINT: the process dies there, as a power cut would have it. */
function failAt(failPoint: Config['failPoint']): AtFailPoint {
  return (point) => {
    if (point === failPoint) process.kill(process.pid, 'SIGKILL')
  }
}

/** Introduces the rooms to each other and starts what runs in the background. */
export async function openService({
  config,
  log,
  webAssets,
  signal,
}: ServiceOptions): Promise<Service> {
  const now = Date.now
  const { allowPrivateHosts, baseDomain, dataDir } = config
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const secrets = await readSecrets(config.secrets, dataDir)
  const database = openDatabase(
    config.databaseUrl === undefined
      ? { file: join(dataDir, 'sitehost.db') }
      : { url: config.databaseUrl },
  )
  await migrate(database)
  const { db } = database

  const hints = new Hints()
  const blobs = diskBlobStore({
    dir: join(dataDir, 'blobs'),
    onCorrupt: (hash) => log.error('blob damaged on disk', { hash }),
  })
  await blobs.sweep(now())
  const spool = new Spool(join(dataDir, 'spool'), { bytesMax: config.spoolBytesMax })
  const fetch = createSafeFetch({ allowPrivate: allowPrivateHosts })
  const identities = new Identities({
    fetch,
    plcUrl: config.plcUrl,
    handleResolverUrl: config.handleResolverUrl,
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
  const limits = { fileBytesMax: config.fileBytesMax, siteBytesMax: config.siteBytesMax }
  const applicationUrl = new URL(config.origin)
  const siteUrl = (address: SiteAddress): string => {
    const url = new URL(applicationUrl)
    url.hostname = `${siteLabel(address)}.${baseDomain}`
    return url.href
  }
  const at = failAt(config.failPoint)
  const jobs = { db, spool, blobs, oauth, identities, hints, log, siteUrl, now, at }
  await recoverJobs(jobs)

  const app = createApp({
    ...{ db, hints, log, oauth, identities, spool, limits, siteUrl, now, at, webAssets },
    keys: new KeyRing(secrets),
    origin: config.origin,
    assertReady: async () => void (await latestChangeSeq(db)),
  })
  const snapshots = new Snapshots({ db, charsMax: config.snapshotBytesMax })
  const edge = { db, blobs, hints, log, snapshots, now }
  const hosts = { applicationHost: applicationUrl.hostname, baseDomain }

  const ingest = { db, blobs, identities, fetch, limits, hints, log, now, signal }
  const background = Promise.all([
    runJobs(jobs, signal),
    runIngestQueue(ingest),
    followSites({ ...ingest, firehoseUrl: config.firehoseUrl }),
    followChanges({ db, hints, snapshots, signal }),
    keepHouse({ db, log, now, signal }),
  ])

  return {
    background,
    fetch(request, server) {
      const route = routeHost(request.headers.get('host'), hosts)
      switch (route.kind) {
        case 'application':
          return app.fetch(request, { server })
        case 'site':
          return serveSite(route.label, request, edge)
        case 'base':
          return Response.redirect(config.origin, 302)
        case 'unknown':
          return plainPage(404, 'No site here')
        case 'bad-host':
          return plainPage(400, 'Bad request')
      }
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}
