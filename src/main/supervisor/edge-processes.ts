import type { CacheStats } from '#api/operations.ts'
import type { TierStats } from '#concurrency/memory-tier.ts'
import type { RefusedBy } from '#edge/shares/site-share.ts'
import type { EventLoopDelay } from '#observe/event-loop-delay.ts'
import type { RequestMetrics } from '#observe/request-metrics.ts'
import { type Counts, Tally } from '#observe/tally.ts'
import { counterSums, type EdgeReport, mapTiers } from './edge-report.ts'
import type { InstanceProcess } from './supervisor-messages.ts'

const noStats: TierStats = { entries: 0, bytes: 0, bytesMax: 0, hits: 0, misses: 0, evictions: 0 }

/** The edge processes of this instance, as they report: what ones that have ended counted stays in the sums. */
export class EdgeProcesses {
  readonly #requests: Pick<RequestMetrics, 'add'>
  readonly #events = new Tally<string>()
  readonly #refusals = new Tally<RefusedBy>()
  /** Counters only. */
  #cache: CacheStats = { bodies: noStats, hosts: noStats, snapshots: noStats }
  #cpuMicros = 0
  /** By process id, of those that run. */
  readonly #latest = new Map<number, EdgeReport>()
  #processes: readonly InstanceProcess[] = []

  constructor(requests: Pick<RequestMetrics, 'add'>) {
    this.#requests = requests
  }

  /** Replaces the list of all processes. */
  know(processes: readonly InstanceProcess[]): void {
    this.#processes = processes
    const running = new Set(processes.map(({ pid }) => pid))
    for (const pid of this.#latest.keys()) if (!running.has(pid)) this.#latest.delete(pid)
  }

  take(pid: number, report: EdgeReport): void {
    for (const { buckets, counts, status, sumMicros } of report.requests) {
      const latency = {
        buckets: Uint16Array.from(buckets),
        counts: Uint32Array.from(counts),
        sumMicros,
      }
      this.#requests.add('edge', status, latency)
    }
    for (const [event, count = 0] of Object.entries(report.events)) this.#events.add(event, count)
    for (const [by, count = 0] of Object.entries(report.refusals)) {
      this.#refusals.add(by as RefusedBy, count)
    }
    this.#cache = mapTiers(this.#cache, (sums, name) => counterSums(sums, report.cache[name], 1))
    this.#cpuMicros += report.cpuMicros
    if (this.#processes.some((known) => known.pid === pid)) this.#latest.set(pid, report)
  }

  get events(): Counts {
    return this.#events.counts
  }

  /** Visitors that were refused. */
  get refusals(): Counts<RefusedBy> {
    return this.#refusals.counts
  }

  get cpuMicros(): number {
    return this.#cpuMicros
  }

  /** Of all processes, with the memory of those that have reported. */
  get list(): readonly (InstanceProcess & { readonly residentBytes: number | null })[] {
    return this.#processes.map((known) => {
      const residentBytes =
        known.pid === process.pid
          ? process.memoryUsage.rss()
          : (this.#latest.get(known.pid)?.residentBytes ?? null)
      return { ...known, residentBytes }
    })
  }

  /** Of all edge processes together. */
  get cache(): CacheStats {
    return mapTiers(this.#cache, (sums, name) =>
      this.#latest
        .values()
        .map(({ cache }) => cache[name])
        .reduce(held, sums),
    )
  }

  /** The worst. */
  get eventLoop(): EventLoopDelay {
    return this.#latest.values().reduce(
      (worst, { eventLoop: { max, p50, p99 } }) => ({
        p50: Math.max(worst.p50, p50),
        p99: Math.max(worst.p99, p99),
        max: Math.max(worst.max, max),
      }),
      { p50: 0, p99: 0, max: 0 },
    )
  }
}

/** With what the other has in memory added. */
const held = (all: TierStats, { bytes, bytesMax, entries }: TierStats): TierStats => ({
  ...counterSums(noStats, all, 1),
  bytes: all.bytes + bytes,
  bytesMax: all.bytesMax + bytesMax,
  entries: all.entries + entries,
})
