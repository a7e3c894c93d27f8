import type { CacheStats, Hosting, HostingMetrics } from '#api/operations.ts'
import type { IngestNumbers } from '#main/metrics/ingest-numbers.ts'
import type { RequestMetrics } from '#observe/request-metrics.ts'
import { GaugeHistory, requestPoint } from '#observe/series.ts'

interface HostingOptions {
  readonly cache: () => CacheStats
  readonly ingest: { readonly numbers: IngestNumbers | null }
  readonly now: () => number
  readonly requests: Pick<RequestMetrics, 'minutes' | 'window'>
}

/** The hosting part of this process. */
export class LocalHosting implements Hosting {
  readonly #options: HostingOptions
  readonly #ingestLag = new GaugeHistory()

  constructor(options: HostingOptions) {
    this.#options = options
  }

  /** To be called once a minute. */
  endMinute(): void {
    this.#ingestLag.add({ at: this.#options.now(), value: this.#firehose().lagSeconds })
  }

  async metrics(windowMs: number): Promise<HostingMetrics> {
    const { now, requests } = this.#options
    const since = now() - windowMs
    return {
      requests: requests.window('edge', windowMs).toJSON(),
      minutes: requests.minutes('edge', since).map(requestPoint),
      ingestLag: this.#ingestLag.since(since),
      firehose: this.#firehose(),
    }
  }

  async cache(): Promise<CacheStats> {
    return this.#options.cache()
  }

  #firehose(): HostingMetrics['firehose'] {
    const { ingest, now } = this.#options
    const read = ingest.numbers?.firehose
    const { isConnected = false, isElsewhere = false, lagMs = null, latestAt = null } = read ?? {}
    return {
      lagSeconds: lagMs === null || isElsewhere ? null : lagMs / 1000,
      lastEventSeconds: latestAt === null ? null : Math.max(now() - latestAt, 0) / 1000,
      connected: isConnected || isElsewhere,
    }
  }
}
