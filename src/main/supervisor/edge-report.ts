import type { CacheStats } from '#api/operations.ts'
import type { TierStats } from '#concurrency/memory-tier.ts'
import type { RefusedBy } from '#edge/shares/site-share.ts'
import type { EventLoopDelay, EventLoopMonitor } from '#observe/event-loop-delay.ts'
import { LatencyHistogram } from '#observe/latency-histogram.ts'
import type { RequestMetrics, StatusClass } from '#observe/request-metrics.ts'
import type { Counts } from '#observe/tally.ts'

/** What an edge process has counted since its last report, and how it is now; as JSON. */
export interface EdgeReport {
  readonly requests: readonly StatusRequests[]
  readonly events: Counts
  readonly refusals: Counts<RefusedBy>
  readonly cpuMicros: number
  /** Hits, misses and evictions since the last report; the rest as it is now. */
  readonly cache: CacheStats
  readonly residentBytes: number
  readonly eventLoop: EventLoopDelay
}

interface StatusRequests {
  readonly status: StatusClass
  readonly buckets: readonly number[]
  readonly counts: readonly number[]
  readonly sumMicros: number
}

interface ReportedOf {
  readonly requests: Pick<RequestMetrics, 'histograms'>
  readonly events: { readonly counts: Counts }
  readonly refusals: { readonly counts: Counts<RefusedBy> }
  readonly cache: () => CacheStats
  readonly eventLoop: Pick<EventLoopMonitor, 'read'>
}

/** Reports what this process has counted, each number once. */
export class EdgeReporter {
  readonly #of: ReportedOf
  readonly #latency = new Map<StatusClass, LatencyHistogram>()
  #events: Counts = {}
  #refusals: Counts<RefusedBy> = {}
  #cache: CacheStats | null = null
  #cpuMicros = 0

  constructor(of: ReportedOf) {
    this.#of = of
  }

  report(): EdgeReport {
    const { cache, eventLoop, events, refusals, requests } = this.#of
    const counts = { ...events.counts }
    const refused = { ...refusals.counts }
    const stats = cache()
    const { system, user } = process.cpuUsage()
    const report = {
      requests: [...requests.histograms()].flatMap(([role, status, latency]) =>
        role === 'edge' ? this.#requestsOf(status, latency) : [],
      ),
      events: countsSince(this.#events, counts),
      refusals: countsSince(this.#refusals, refused),
      cpuMicros: system + user - this.#cpuMicros,
      cache: mapTiers(stats, (tier, name) => counterSums(tier, this.#cache?.[name], -1)),
      residentBytes: process.memoryUsage.rss(),
      eventLoop: eventLoop.read(),
    }
    this.#events = counts
    this.#refusals = refused
    this.#cache = stats
    this.#cpuMicros = system + user
    return report
  }

  #requestsOf(status: StatusClass, latency: LatencyHistogram): StatusRequests[] {
    const before = this.#latency.get(status) ?? new LatencyHistogram()
    this.#latency.set(status, before)
    const since = latency.since(before)
    if (since.buckets.length === 0) return []
    before.add(since)
    const { buckets, counts, sumMicros } = since
    return [{ status, buckets: [...buckets], counts: [...counts], sumMicros }]
  }
}

function countsSince<Label extends string>(
  before: Counts<Label>,
  now: Counts<Label>,
): Counts<Label> {
  const since: Partial<Record<Label, number>> = {}
  for (const label of Object.keys(now) as Label[]) {
    const count = (now[label] ?? 0) - (before[label] ?? 0)
    if (count > 0) since[label] = count
  }
  return since
}

/** `to` with the counters of `from` added to its own, or subtracted. */
export function counterSums(to: TierStats, from: TierStats | undefined, sign: 1 | -1): TierStats {
  return {
    ...to,
    hits: to.hits + sign * (from?.hits ?? 0),
    misses: to.misses + sign * (from?.misses ?? 0),
    evictions: to.evictions + sign * (from?.evictions ?? 0),
  }
}

/** The same of each tier. */
export function mapTiers(
  tiers: CacheStats,
  map: (tier: TierStats, name: keyof CacheStats) => TierStats,
): CacheStats {
  return {
    snapshots: map(tiers.snapshots, 'snapshots'),
    bodies: map(tiers.bodies, 'bodies'),
    hosts: map(tiers.hosts, 'hosts'),
  }
}

/** Of what this process keeps in memory. */
export const cacheOf = ({
  bodies,
  hosts,
  snapshots,
}: Readonly<Record<keyof CacheStats, { readonly stats: TierStats }>>): CacheStats => ({
  snapshots: snapshots.stats,
  bodies: bodies.stats,
  hosts: hosts.stats,
})
