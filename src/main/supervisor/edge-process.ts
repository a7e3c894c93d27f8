import { join } from 'node:path'
import type { Discovery, Owner } from '#edge/names/discover-owner.ts'
import { trafficInRows } from '#edge/shares/save-traffic.ts'
import type { Config } from '#main/config/config.ts'
import { watchDatabaseFile } from '#main/process/watch-database-file.ts'
import { openVisitors, type VisitorService } from '#main/service/open-visitors.ts'
import { openMigratedStores } from '#main/service/stores.ts'
import { logOfService } from '#observe/log-of-service.ts'
import type { LogQueue } from '#observe/log-queue.ts'
import { rateLimitedLog } from '#observe/rate-limited-log.ts'
import type { RequestMetrics } from '#observe/request-metrics.ts'
import type { RunningLog } from '#observe/start-log.ts'
import { shareWakeUps } from '#store/database/share-wake-ups.ts'
import type { WakeUps } from '#store/database/wake-ups.ts'
import { touchVisited } from '#store/lifecycle/visited-accounts.ts'
import { storeLog } from '#store/log/store-log.ts'
import { coreSocketIn } from './core-socket.ts'
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

interface EdgeProcess extends AsyncDisposable, VisitorService {
  readonly wakeUps: WakeUps
}

/**
 * Opens an edge process on a data folder and a database that the core of its instance holds: it takes neither lock nor lease,
 * migrates nothing, and sends what belongs to the application to the core.
 */
export async function openEdgeProcess(options: EdgeProcessOptions): Promise<EdgeProcess> {
  const { config, link, log, logQueue, requests, shutdown, signal, supervised } = options
  const { databaseUrl, dataDir } = config
  const { folder } = supervised
  await using opened = new AsyncDisposableStack()
  const own = shareOf(config, supervised.edges)
  const copiesIn = join('decoded', `copies-${process.pid}`)
  const stores = await openMigratedStores({ config: own, copiesIn, log }, opened)
  const { clock, db, wakeUps } = stores
  opened.use(storeLog({ db, queue: logQueue, log }))
  opened.use(
    wakeUps.forward(['account', 'site', 'version'], (topic) =>
      link.send({ kind: 'wake-up', topic }),
    ),
  )
  const visitorLog = rateLimitedLog(logOfService(log, 'hosting-service'))
  const visitors = openVisitors({
    config: own,
    ...{ log, requests, signal, stores, visitorLog },
    over: shutdown.over,
    decodedDir: join(dataDir, 'decoded', `edge-${process.pid}`),
    application: relayToCore({ folder, log: visitorLog, stopping: signal }),
    elsewhere: null,
    discover: (owner, client) => discoverAtCore(folder, { owner, client }),
    traffic: trafficInRows(db),
    touchVisited: (dids) => touchVisited(db, dids, clock.now()),
  })
  const wakings =
    databaseUrl === undefined
      ? watchDatabaseFile(join(dataDir, 'sitehost.db'), { signal })
      : shareWakeUps({ url: databaseUrl, wakeUps, log, signal })
  const open = opened.move()
  return {
    ...visitors,
    wakeUps,
    background: Promise.all([visitors.background, wakings]),
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
