import type { CacheStats } from '#api/operations.ts'
import { type Answer, createDispatch } from '#edge/dispatch.ts'
import { forgetRemoved } from '#edge/files/forget-removed.ts'
import type { SnapshotSource } from '#edge/files/missing-blobs.ts'
import type { Discovery, Owner } from '#edge/names/discover-owner.ts'
import { saveTraffic, type TrafficStore } from '#edge/shares/save-traffic.ts'
import type { RefusedBy } from '#edge/shares/site-share.ts'
import { forgetChanged } from '#edge/site-cache.ts'
import type { Config } from '#main/config/config.ts'
import { siteUrlsOf } from '#main/config/site-urls.ts'
import { forgetRemovedCopies, removedCopiesOf } from '#main/maintenance/removed-copies.ts'
import { recordVisited } from '#main/maintenance/run-maintenance.ts'
import { cacheOf } from '#main/supervisor/edge-report.ts'
import type { Log } from '#observe/log.ts'
import type { RequestMetrics } from '#observe/request-metrics.ts'
import type { Tally } from '#observe/tally.ts'
import type { Did } from '#site/site-address.ts'
import { followChanges } from '#store/database/change-feed.ts'
import { openEdge } from './open-edge.ts'
import { elapsed } from './open-parts.ts'
import type { Stores } from './stores.ts'

/** What a process that answers visitors alone leaves to others, or does its own way. */
interface VisitorOptions {
  readonly config: Config
  readonly stores: Stores
  /** Of this process alone. */
  readonly decodedDir: string
  /** Answers the application's requests; with `elsewhere`, those that ask for this process's health. */
  readonly application: Answer
  readonly elsewhere: 'application' | null
  readonly discover: (owner: Owner, client: string) => Promise<Discovery>
  readonly enqueue?: (source: SnapshotSource) => Promise<unknown>
  readonly traffic: TrafficStore
  /** Stores that sites of these accounts are visited now. */
  readonly touchVisited: (dids: readonly Did[]) => Promise<unknown>
  readonly log: Log
  /** For messages that anybody can cause. */
  readonly visitorLog: Log
  readonly requests: Pick<RequestMetrics, 'observe'>
  /** Requests are answered until then. */
  readonly over: AbortSignal
  /** Ends background work. */
  readonly signal: AbortSignal
}

/** What answers visitors in a process of its own, and what runs in its background. */
export interface VisitorService {
  readonly fetch: Answer
  readonly cache: () => CacheStats
  /** Visitors that were refused. */
  readonly refusals: Pick<Tally<RefusedBy>, 'counts'>
  readonly background: Promise<unknown>
}

/** Answers visitors from these stores; what is kept in memory follows the database. */
export function openVisitors(options: VisitorOptions): VisitorService {
  const { config, decodedDir, enqueue, log, over, requests, signal, stores, visitorLog } = options
  const { baseDomain, countryHeader, origin, redirectsToHttps, trustedProxies } = config
  const { clock, db, wakeUps } = stores
  const { now } = clock
  const { originOf, siteUrl } = siteUrlsOf(config)
  const loop = { ...stores, elapsed, log: visitorLog, now, signal: over }
  const edge = openEdge({ ...loop, config, decodedDir, enqueue, originOf })
  const discover = async (owner: Owner, client: string): Promise<Discovery> => {
    const discovery = await options.discover(owner, client)
    if (discovery.kind === 'known') edge.awaited.invalidate()
    return discovery
  }
  const fetch = createDispatch({
    application: options.application,
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
    elsewhere: options.elsewhere,
  })
  const copies = removedCopiesOf(stores)
  const { snapshots } = edge
  const background = Promise.all([
    clock.keep({ log, signal }),
    copies !== null && forgetRemovedCopies(copies, { log, signal }),
    followChanges([forgetChanged(edge), forgetRemoved({ ...edge, copies, log })], {
      ...{ db, log, signal, wakeUps },
    }),
    saveTraffic({ log: visitorLog, shares: edge.shares, signal, store: options.traffic }),
    recordVisited({ log: visitorLog, signal, snapshots, touch: options.touchVisited }),
  ])
  return { fetch, cache: () => cacheOf(edge), refusals: edge.shares.refusals, background }
}
