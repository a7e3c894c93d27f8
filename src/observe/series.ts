import type { RequestMinute } from './request-window.ts'
import { RequestWindow } from './request-window.ts'

/** The requests of one minute, for charts; durations in milliseconds. */
export interface RequestPoint {
  /** When the minute ended, in milliseconds since the epoch. */
  readonly at: number
  readonly requests: number
  readonly errors: number
  /** Null: there was no request. */
  readonly p50: number | null
  readonly p95: number | null
  readonly p99: number | null
}

export function requestPoint(minute: RequestMinute): RequestPoint {
  const { p50Duration, p95Duration, p99Duration, totalRequests } = RequestWindow.of([
    minute,
  ]).summary()
  const known = (duration: number): number | null => (totalRequests === 0 ? null : duration)
  return {
    at: minute.to,
    requests: totalRequests,
    errors: minute.errors,
    p50: known(p50Duration),
    p95: known(p95Duration),
    p99: known(p99Duration),
  }
}

/** What a gauge showed at a time; null: it was not known. */
export interface GaugePoint {
  readonly at: number
  readonly value: number | null
}

const pointsMax = 24 * 60

/** A gauge by the minute, for a day. */
export class GaugeHistory {
  readonly #points: GaugePoint[] = []

  /** To be called once a minute. */
  add(point: GaugePoint): void {
    this.#points.push(point)
    if (this.#points.length > pointsMax) this.#points.shift()
  }

  /** Oldest first. */
  since(at: number): readonly GaugePoint[] {
    return this.#points.filter((point) => point.at > at)
  }
}
