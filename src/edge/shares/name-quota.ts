import type { UtcDay } from '#site/utc-day.ts'

/** How many names may be counted on one day. */
export class NameQuota {
  readonly #max: number
  #left: number
  #day: UtcDay = 0

  constructor(max: number) {
    this.#max = max
    this.#left = max
  }

  /** A day before the last one changes nothing: a site that was not saved since does not begin it again. */
  isSpent(day: UtcDay): boolean {
    if (day > this.#day) {
      this.#day = day
      this.#left = this.#max
    }
    return this.#left <= 0
  }

  take(): void {
    this.#left--
  }
}
