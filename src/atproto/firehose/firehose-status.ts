const secondMs = 1000
/** How long a lag counts. */
export const lagWindowSeconds = 60

/** What is known of the firehose since the start; its reader keeps it up to date. */
export class FirehoseStatus {
  isConnected = false
  /** Another instance reads it for all. */
  isElsewhere = false
  /** Frames that were read, also those without an event that concerns us. */
  steps = 0
  /** When the source made the latest one, in milliseconds since the epoch; null: none was read, or it does not say. */
  latestAt: number | null = null
  /** Lost connections and skipped frames. */
  problems = 0
  /** When the source made the oldest event that was read and is not queued yet; null: none waits. */
  #waitingSince: number | null = null
  /** The largest lag of each of the last seconds in which there was one. */
  readonly #lags = new Map<number, number>()

  /** An event arrived; `madeAt`: when the source made it. */
  arrived(madeAt: number | null): void {
    this.#waitingSince ??= madeAt
  }

  /** What waited is queued, or is passed over; `next`: when the source made the oldest event that still waits. */
  queued(now: number, next: number | null): void {
    const lagMs = this.#waitingMs(now)
    this.#waitingSince = next
    if (lagMs === 0) return
    const second = Math.floor(now / secondMs)
    this.#lags.set(second, Math.max(lagMs, this.#lags.get(second) ?? 0))
    for (const earlier of this.#lags.keys()) {
      if (!isRecent(earlier, now)) this.#lags.delete(earlier)
    }
  }

  /** Nobody takes what waits: it is read again later. */
  left(): void {
    this.#waitingSince = null
  }

  /**
   * The longest time between an event and its being queued, of those queued in the last minute or waiting now; 0: there
   * were none. In milliseconds, by the source's clock and ours.
   */
  lagMs(now: number): number {
    const recent = this.#lags.entries().filter(([second]) => isRecent(second, now))
    return Math.max(this.#waitingMs(now), ...recent.map(([, lagMs]) => lagMs))
  }

  #waitingMs(now: number): number {
    return this.#waitingSince === null ? 0 : Math.max(now - this.#waitingSince, 0)
  }
}

/** The clock may go back. */
const isRecent = (second: number, now: number): boolean =>
  Math.abs(Math.floor(now / secondMs) - second) < lagWindowSeconds
