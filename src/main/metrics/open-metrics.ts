import { join } from 'node:path'
import type { CacheStats } from '#api/operations.ts'
import type { CertificateStates } from '#certificates/certificate-states.ts'
import type { Http3End } from '#edge/http3/answer-http3.ts'
import type { RefusedBy } from '#edge/shares/site-share.ts'
import type { HandshakeEnd } from '#edge/tls/tls-listener.ts'
import type { Config } from '#main/config/config.ts'
import type { Stores } from '#main/service/stores.ts'
import type { EdgeProcesses } from '#main/supervisor/edge-processes.ts'
import { EventLoopMonitor } from '#observe/event-loop-delay.ts'
import type { Log } from '#observe/log.ts'
import { type Family, Metrics } from '#observe/metrics.ts'
import { RequestMetrics } from '#observe/request-metrics.ts'
import { type Counts, Tally } from '#observe/tally.ts'
import type { FetchOutcome } from '#outbound/safe-fetch.ts'
import type { PageErrorLabel } from '#site/page-errors.ts'
import { databaseBytes } from '#store/database/database-bytes.ts'
import { blobFamilies } from './blob-families.ts'
import { certificateFamilies } from './certificate-families.ts'
import { eventFamilies } from './event-families.ts'
import { ingestFamilies } from './ingest-families.ts'
import type { IngestNumbers } from './ingest-numbers.ts'
import { processFamilies } from './process-families.ts'
import {
  handshakeFamily,
  http3Family,
  pageErrorFamily,
  refusalFamily,
  requestFamily,
  tierFamilies,
} from './request-families.ts'
import { storageFamilies } from './storage-families.ts'

/** What the main thread counts for the metrics. */
export interface Meters {
  readonly events: Tally<string>
  readonly fetches: Readonly<Record<'application' | 'repos' | 'webhooks', Tally<FetchOutcome>>>
  readonly handshakes: Tally<HandshakeEnd>
  readonly http3Requests: Tally<Http3End>
  readonly pageErrors: Tally<PageErrorLabel>
  readonly requests: RequestMetrics
}

export const newMeters = (events: Tally<string>, now: () => number): Meters => ({
  events,
  fetches: { application: new Tally(), repos: new Tally(), webhooks: new Tally() },
  handshakes: new Tally(),
  http3Requests: new Tally(),
  pageErrors: new Tally(),
  requests: new RequestMetrics({ now }),
})

interface OpenOptions
  extends Pick<Stores, 'blobCopies' | 'blobRequests' | 'db' | 'database' | 'floor'> {
  readonly config: Pick<Config, 'dataDir' | 'databaseUrl'>
  readonly ingest: { readonly numbers: IngestNumbers | null }
  readonly log: Log
  readonly meters: Meters
  readonly now: () => number
  /** Of visitors that this process refused. */
  readonly refusals: Pick<Tally<RefusedBy>, 'counts'>
  readonly cache: () => CacheStats
  /** Null: a TLS front keeps certificates. */
  readonly certificates: Pick<CertificateStates, 'totals'> | null
  /** Those of this instance that report to this process; null: it answers visitors itself. */
  readonly edges: EdgeProcesses | null
  readonly version: string
}

/** Everything that Prometheus may scrape of this process. */
export function openMetrics(options: OpenOptions, opened: AsyncDisposableStack): Metrics {
  const { blobCopies, blobRequests, cache, certificates, config, database, db } = options
  const { edges, floor, ingest, log, meters, now, refusals, version } = options
  const eventLoop = opened.use(new EventLoopMonitor())
  const file = config.databaseUrl === undefined ? join(config.dataDir, 'sitehost.db') : null
  const metrics = new Metrics({ log })
  metrics.addHistogram(requestFamily(meters.requests))
  metrics.add(
    handshakeFamily(meters.handshakes),
    http3Family(meters.http3Requests),
    pageErrorFamily(meters.pageErrors),
    ...certificateFamilies(certificates),
    refusalFamily(() => [refusals.counts, edges?.refusals ?? {}]),
    ...tierFamilies(cache),
    ...ingestFamilies(() => ingest.numbers, now),
    fetchFamily(() => ({ ...countsOf(meters.fetches), ...ingest.numbers?.fetches })),
    ...eventFamilies(() => [
      meters.events.counts,
      ingest.numbers?.events ?? {},
      edges?.events ?? {},
    ]),
    ...storageFamilies({
      db,
      floor,
      databaseBytes: () => databaseBytes(db, file),
      loads: () => ({
        main: database.load(),
        ...(ingest.numbers && { ingest: ingest.numbers.database }),
      }),
    }),
    ...(blobRequests === null
      ? []
      : blobFamilies({
          copies: blobCopies,
          requests: () => ({
            main: blobRequests.counts,
            ...(ingest.numbers?.blobRequests && { ingest: ingest.numbers.blobRequests }),
          }),
        })),
    ...processFamilies({
      version,
      edges,
      eventLoops: () => ({
        main: eventLoop.read(),
        ...(ingest.numbers && { ingest: ingest.numbers.eventLoop }),
        ...(edges && { edge: edges.eventLoop }),
      }),
    }),
  )
  return metrics
}

const countsOf = (tallies: Meters['fetches']) => ({
  application: tallies.application.counts,
  repos: tallies.repos.counts,
  webhooks: tallies.webhooks.counts,
})

const fetchFamily = (counts: () => Readonly<Record<string, Counts<FetchOutcome>>>): Family => ({
  name: 'sitehost_outbound_requests_total',
  help: 'Requests to servers that users name, by what for (sites, accounts, repos, webhooks, application) and outcome.',
  kind: 'counter',
  read: () =>
    Object.entries(counts()).flatMap(([kind, outcomes]) =>
      Object.entries(outcomes).map(([outcome, value]) => ({ labels: { kind, outcome }, value })),
    ),
})
