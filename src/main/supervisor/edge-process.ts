import { join } from 'node:path'
import type { CacheStats } from '#api/operations.ts'
import { type Answer, createDispatch } from '#edge/dispatch.ts'
import { forgetRemoved } from '#edge/files/forget-removed.ts'
import type { Discovery, Owner } from '#edge/names/discover-owner.ts'
import { saveTraffic } from '#edge/shares/save-traffic.ts'
import type { RefusedBy } from '#edge/shares/site-share.ts'
import { forgetChanged } from '#edge/site-cache.ts'
import type { Config } from '#main/config/config.ts'
import { siteUrlsOf } from '#main/config/site-urls.ts'
import { forgetRemovedCopies, removedCopiesOf } from '#main/maintenance/removed-copies.ts'
import { recordVisited } from '#main/maintenance/run-maintenance.ts'
import { watchDatabaseFile } from '#main/process/watch-database-file.ts'
import { openEdge } from '#main/service/open-edge.ts'
import { elapsed } from '#main/service/open-parts.ts'
import { openMigratedStores } from '#main/service/stores.ts'
import { logOfService } from '#observe/log-of-service.ts'
import type { LogQueue } from '#observe/log-queue.ts'
import { rateLimitedLog } from '#observe/rate-limited-log.ts'
import type { RequestMetrics } from '#observe/request-metrics.ts'
import type { RunningLog } from '#observe/start-log.ts'
import type { Tally } from '#observe/tally.ts'
import { followChanges } from '#store/database/change-feed.ts'
import { shareWakeUps } from '#store/database/share-wake-ups.ts'
import type { WakeUps } from '#store/database/wake-ups.ts'
import { storeLog } from '#store/log/store-log.ts'
import { coreSocketIn } from './core-socket.ts'
import { cacheOf } from './edge-report.ts'
import { relayToCore } from './relay-to-core.ts'
import type { SupervisorLink } from './supervisor-link.ts'
import type { Supervised } from './supervisor-messages.ts'

interface EdgeProcessOptions {
  readonly config: Config
  readonly supervised: Supervised
  readonly link: Pick<SupervisorLink, 'send'>
  readonly log: RunningLog
  readonly logQueue: LogQueue
  readonly requests: RequestMetrics
  readonly shutdown: { readonly over: AbortSignal }
  /** Ends background work. */
  readonly signal: AbortSignal
}

/** What answers visitors in a process of its own, and what runs in its background. */
export interface EdgeProcess extends AsyncDisposable {
  readonly fetch: Answer
  readonly cache: () => CacheStats
  /** Visitors that were refused. */
  readonly refusals: Pick<Tally<RefusedBy>, 'counts'>
  readonly wakeUps: WakeUps
  readonly background: Promise<unknown>
}

/**
 * Opens an edge process on a data folder and a database that the core of its instance holds: it takes neither lock nor lease,
 * migrates nothing, and sends what belongs to the application to the core.
 */
export async function openEdgeProcess(options: EdgeProcessOptions): Promise<EdgeProcess> {
  const { config, link, log, logQueue, requests, shutdown, signal, supervised } = options
  const { baseDomain, countryHeader, databaseUrl, dataDir, origin } = config
  const { redirectsToHttps, trustedProxies } = config
  await using opened = new AsyncDisposableStack()
  const own = shareOf(config, supervised.edges)
  const copiesIn = join('decoded', `copies-${process.pid}`)
  const stores = await openMigratedStores({ config: own, copiesIn, log }, opened)
  const { clock, db, wakeUps } = stores
  const { now } = clock
  opened.use(storeLog({ db, queue: logQueue, log }))
  opened.use(
    wakeUps.forward(['account', 'site', 'version'], (topic) =>
      link.send({ kind: 'wake-up', topic }),
    ),
  )
  const { originOf, siteUrl } = siteUrlsOf(config)
  const visitorLog = rateLimitedLog(logOfService(log, 'hosting-service'))
  const loop = { ...stores, elapsed, log: visitorLog, now, signal: shutdown.over }
  const edge = openEdge({
    ...loop,
    originOf,
    config: own,
    decodedDir: join(dataDir, 'decoded', `edge-${process.pid}`),
  })
  const discover = async (owner: Owner, client: string): Promise<Discovery> => {
    const discovery = await discoverAtCore(supervised.folder, { owner, client })
    if (discovery.kind === 'known') edge.awaited.invalidate()
    return discovery
  }
  const fetch = createDispatch({
    application: relayToCore({ folder: supervised.folder, log: visitorLog, stopping: signal }),
    applicationHost: new URL(origin).hostname,
    baseDomain,
    origin,
    front: { countryHeader, redirectsToHttps, trustedProxies },
    visits: { ...edge, log: visitorLog, now },
    addresses: {
      ...{ addresses: edge.addresses, db, pages: edge.pages, siteUrl },
      ...(config.ingest === 'visited' && { discover }),
    },
    metrics: requests,
    elsewhere: null,
  })
  const copies = removedCopiesOf(stores)
  const background = Promise.all([
    clock.keep({ log, signal }),
    copies !== null && forgetRemovedCopies(copies, { log, signal }),
    followChanges([forgetChanged(edge), forgetRemoved({ ...edge, copies, log })], {
      ...{ db, log, signal, wakeUps },
    }),
    saveTraffic({ db, log: visitorLog, shares: edge.shares, signal }),
    recordVisited({ db, log, now, signal, snapshots: edge.snapshots }),
    databaseUrl === undefined
      ? watchDatabaseFile(join(dataDir, 'sitehost.db'), { signal })
      : shareWakeUps({ url: databaseUrl, wakeUps, log, signal }),
  ])
  const open = opened.move()
  return {
    fetch,
    cache: () => cacheOf(edge),
    refusals: edge.shares.refusals,
    wakeUps,
    background,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

/** Settings that bound a whole instance, divided by its processes. */
function shareOf(config: Config, processes: number): Config {
  const share = (bytes: number): number => Math.ceil(bytes / processes)
  return {
    ...config,
    blobStore: config.blobStore && {
      ...config.blobStore,
      cacheBytesMax: share(config.blobStore.cacheBytesMax),
    },
    bodyBytesMax: share(config.bodyBytesMax),
    decodedBytesMax: share(config.decodedBytesMax),
    snapshotBytesMax: share(config.snapshotBytesMax),
  }
}

/** What an edge process asks the core on behalf of a visitor. */
export interface DiscoverQuestion {
  readonly owner: Owner
  readonly client: string
}

/** Rejects while there is no core: the visitor is asked to come again. */
async function discoverAtCore(folder: string, question: DiscoverQuestion): Promise<Discovery> {
  const answer = await fetch('http://core/discover', {
    unix: coreSocketIn(folder),
    method: 'POST',
    body: JSON.stringify(question),
  })
  if (!answer.ok) throw new Error(`core did not discover an owner; status=${answer.status}`)
  return (await answer.json()) as Discovery
}
