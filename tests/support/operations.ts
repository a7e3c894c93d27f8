import type { CacheStats, HostingMetrics, Operations, ServiceProcess } from '#api/operations.ts'
import { RequestMetrics } from '#observe/request-metrics.ts'
import { requestPoint } from '#observe/series.ts'

const tier = { entries: 1, bytes: 20, bytesMax: 300, hits: 4, misses: 5, evictions: 6 }
export const cacheStats: CacheStats = { snapshots: tier, bodies: tier, hosts: tier }

/** A service whose hosting part can be away. */
export class FakeOperations implements Operations {
  readonly version = '1.2.3'
  readonly startedAt: number
  readonly hosting = {
    metrics: async (windowMs: number) => (this.hasHosting ? this.#hostingMetrics(windowMs) : null),
    cache: async () => (this.hasHosting ? cacheStats : null),
  }
  hasHosting = true
  readonly #now: () => number
  #requests: RequestMetrics | null = null

  constructor(startedAt: number, now: () => number) {
    this.#now = now
    this.startedAt = startedAt
  }

  /** Begins to count when it is first used. */
  get requests(): RequestMetrics {
    this.#requests ??= new RequestMetrics({ now: this.#now })
    return this.#requests
  }

  lastBackupAt = async (): Promise<number | null> => this.startedAt
  databaseBytes = async (): Promise<number> => 4096
  diskSpace = async () => ({ free: 5, total: 10 })
  processes = (): ServiceProcess[] => [
    { kind: 'service', pid: 7, startedAt: this.startedAt, restarts: 0, residentBytes: 1000 },
  ]
  diskPoints = () => [{ at: this.startedAt, value: 5 }]

  #hostingMetrics(windowMs: number): HostingMetrics {
    return {
      requests: this.requests.window('edge', windowMs).toJSON(),
      minutes: this.requests.minutes('edge', this.#now() - windowMs).map(requestPoint),
      ingestLag: [{ at: this.startedAt, value: 3 }],
      firehose: { lagSeconds: 3, lastEventSeconds: 4, connected: true },
    }
  }
}
