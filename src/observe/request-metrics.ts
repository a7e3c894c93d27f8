import { LatencyHistogram, type SparseHistogram } from './latency-histogram.ts'
import { type RequestMinute, RequestWindow } from './request-window.ts'

/** What a request was for: the application, or a visitor's site. */
export type Role = 'app' | 'edge'
export const roles: readonly Role[] = ['app', 'edge']

/** The first digit of a status. */
export type StatusClass = 1 | 2 | 3 | 4 | 5
const statusClasses: readonly StatusClass[] = [1, 2, 3, 4, 5]

const minutesMax = 24 * 60
/** Histograms of a role, by status class; the first one stays empty. */
const classesOfRole = 6

/**
 * Counts requests and their durations by role and status class, since the start and by the minute for a day. A minute
 * takes memory only for the buckets that it has: 1 MB for the day of a busy instance, 8 MB at most.
 */
export class RequestMetrics {
  readonly #now: () => number
  readonly #histograms = histogramsOfAll()
  readonly #minutes: Record<Role, RequestMinute[]> = { app: [], edge: [] }
  /** As at the end of the last minute. */
  #before: Readonly<Record<Role, MinuteStart>>

  constructor({ now }: { readonly now: () => number }) {
    this.#now = now
    this.#before = { app: this.#startOf('app'), edge: this.#startOf('edge') }
  }

  /** At most 0.1 µs, without allocation. `status` is an HTTP status; `micros` is a duration. */
  observe(role: Role, status: number, micros: number): void {
    this.#histograms[indexOf(role, (status / 100) | 0)]?.observe(micros)
  }

  /** Counts those of another process. */
  add(role: Role, status: StatusClass, latency: SparseHistogram): void {
    this.#histograms[indexOf(role, status)]?.add(latency)
  }

  /** Since the start, those that had requests. */
  *histograms(): Generator<[Role, StatusClass, LatencyHistogram]> {
    for (const role of roles) {
      for (const status of statusClasses) {
        const histogram = this.#histograms[indexOf(role, status)]
        if (histogram !== undefined && histogram.count > 0) yield [role, status, histogram]
      }
    }
  }

  /** To be called once a minute. Forgets the minutes of more than a day ago. */
  endMinute(): void {
    for (const role of roles) {
      const minutes = this.#minutes[role]
      minutes.push(this.#currentMinute(role))
      if (minutes.length > minutesMax) minutes.shift()
    }
    this.#before = { app: this.#startOf('app'), edge: this.#startOf('edge') }
  }

  /** The minutes that ended after `since`, and the current one. */
  minutes(role: Role, since: number): RequestMinute[] {
    const ended = this.#minutes[role].filter(({ to }) => to > since)
    return [...ended, this.#currentMinute(role)]
  }

  /** All requests of the last `windowMs`, to the minute. */
  window(role: Role, windowMs: number): RequestWindow {
    return RequestWindow.of(this.minutes(role, this.#now() - windowMs))
  }

  #currentMinute(role: Role): RequestMinute {
    const before = this.#before[role]
    return {
      from: before.at,
      to: this.#now(),
      latency: this.#latencyOf(role).since(before.latency),
      errors: this.#errorsOf(role) - before.errors,
    }
  }

  #startOf(role: Role): MinuteStart {
    return { at: this.#now(), latency: this.#latencyOf(role), errors: this.#errorsOf(role) }
  }

  /** Of all status classes, as a copy. */
  #latencyOf(role: Role): LatencyHistogram {
    const all = new LatencyHistogram()
    const none = new LatencyHistogram()
    for (const status of statusClasses) {
      const histogram = this.#histograms[indexOf(role, status)]
      if (histogram !== undefined) all.add(histogram.since(none))
    }
    return all
  }

  #errorsOf(role: Role): number {
    return this.#histograms[indexOf(role, 5)]?.count ?? 0
  }
}

interface MinuteStart {
  readonly at: number
  readonly latency: LatencyHistogram
  readonly errors: number
}

const indexOf = (role: Role, status: number): number =>
  (role === 'edge' ? classesOfRole : 0) + status

const histogramsOfAll = (): readonly LatencyHistogram[] =>
  Array.from({ length: classesOfRole * roles.length }, () => new LatencyHistogram())
