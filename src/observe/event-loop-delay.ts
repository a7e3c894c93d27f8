import { monitorEventLoopDelay } from 'node:perf_hooks'

/** How much later than due the event loop of a thread ran its timers, in seconds. */
export interface EventLoopDelay {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

const resolutionMs = 10
const nanosPerSecond = 1e9
const minuteMs = 60_000

interface Monitor {
  enable(): unknown
  disable(): unknown
  reset(): void
  /** In nanoseconds. */
  percentile(percentile: number): number
}

interface MonitorOptions {
  readonly now?: () => number
  readonly monitor?: Monitor
}

/**
 * Watches this thread's event loop until it is disposed of. Tells the worst of the minute that has ended and the current
 * one, so that several readers see the same.
 */
export class EventLoopMonitor implements Disposable {
  readonly #now: () => number
  readonly #monitor: Monitor
  #before: EventLoopDelay = { p50: 0, p99: 0, max: 0 }
  #since: number

  constructor({
    now = () => performance.now(),
    monitor = monitorEventLoopDelay({ resolution: resolutionMs }),
  }: MonitorOptions = {}) {
    this.#now = now
    this.#monitor = monitor
    this.#since = now()
    monitor.enable()
  }

  read(): EventLoopDelay {
    const current = this.#current()
    const delay = {
      p50: Math.max(current.p50, this.#before.p50),
      p99: Math.max(current.p99, this.#before.p99),
      max: Math.max(current.max, this.#before.max),
    }
    if (this.#now() - this.#since >= minuteMs) {
      this.#before = current
      this.#since = this.#now()
      this.#monitor.reset()
    }
    return delay
  }

  [Symbol.dispose](): void {
    this.#monitor.disable()
  }

  #current(): EventLoopDelay {
    const secondsAt = (percentile: number): number =>
      this.#monitor.percentile(percentile) / nanosPerSecond
    return { p50: secondsAt(50), p99: secondsAt(99), max: secondsAt(100) }
  }
}
