import { LatencyHistogram, type SparseHistogram } from './latency-histogram.ts'

/** The requests of one minute and one role. */
export interface RequestMinute {
  /** Milliseconds since the epoch. */
  readonly from: number
  readonly to: number
  readonly latency: SparseHistogram
  /** Answered with a status from 500 on. */
  readonly errors: number
}

/** What the administrator's area shows of some time; durations in milliseconds, percentiles off by less than 6 %. */
export interface RequestSummary {
  readonly totalRequests: number
  readonly avgDuration: number
  readonly p50Duration: number
  readonly p95Duration: number
  readonly p99Duration: number
  /** From 0 to 1: answers with a status from 500 on. */
  readonly errorRate: number
  /** Of the time that was measured, which is shorter than the window soon after a start. */
  readonly requestsPerMinute: number
}

/** A window as JSON, to be merged elsewhere. */
export interface RequestWindowData {
  readonly buckets: readonly number[]
  readonly counts: readonly number[]
  readonly sumMicros: number
  readonly errors: number
  readonly measuredMs: number
}

const minuteMs = 60_000

/** The requests of some minutes, of one or several roles or processes. */
export class RequestWindow {
  readonly #latency = new LatencyHistogram()
  #errors = 0
  #measuredMs = 0

  static of(minutes: readonly RequestMinute[]): RequestWindow {
    const window = new RequestWindow()
    for (const { errors, from, latency, to } of minutes) {
      window.#latency.add(latency)
      window.#errors += errors
      window.#measuredMs += to - from
    }
    return window
  }

  static from({ buckets, counts, errors, measuredMs, sumMicros }: RequestWindowData) {
    const window = new RequestWindow()
    window.#latency.add({
      buckets: Uint16Array.from(buckets),
      counts: Uint32Array.from(counts),
      sumMicros,
    })
    window.#errors = errors
    window.#measuredMs = measuredMs
    return window
  }

  /** Of the same time elsewhere, or for something else. */
  merge(other: RequestWindow): void {
    this.#latency.add(other.#latency.since(new LatencyHistogram()))
    this.#errors += other.#errors
    this.#measuredMs = Math.max(this.#measuredMs, other.#measuredMs)
  }

  summary(): RequestSummary {
    const { count, sumMicros } = this.#latency
    const msAt = (share: number): number => this.#latency.quantile(share) / 1000
    return {
      totalRequests: count,
      avgDuration: count === 0 ? 0 : sumMicros / count / 1000,
      p50Duration: msAt(0.5),
      p95Duration: msAt(0.95),
      p99Duration: msAt(0.99),
      errorRate: count === 0 ? 0 : this.#errors / count,
      requestsPerMinute: count === 0 ? 0 : count / Math.max(this.#measuredMs / minuteMs, 1 / 60),
    }
  }

  toJSON(): RequestWindowData {
    const { buckets, counts, sumMicros } = this.#latency.since(new LatencyHistogram())
    return {
      buckets: [...buckets],
      counts: [...counts],
      sumMicros,
      errors: this.#errors,
      measuredMs: this.#measuredMs,
    }
  }
}
