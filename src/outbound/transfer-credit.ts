interface RateFloor {
  readonly bytesPerSecondMin: number
  readonly rateWindowMs: number
}

/**
 * How long a transfer may still keep us waiting: a window's time in the beginning, less with every
 * millisecond of waiting, more with every byte, never over the window. It runs out once the bytes of any
 * window come slower than the floor, however fast those before were; time that we need ourselves is free.
 */
export class TransferCredit {
  readonly #floor: RateFloor
  #ms: number

  constructor(floor: RateFloor) {
    this.#floor = floor
    this.#ms = floor.rateWindowMs
  }

  /** The longest wait for the next bytes. */
  get ms(): number {
    return this.#ms
  }

  /** So many bytes came after so long a wait. */
  received(bytes: number, waitedMs: number): void {
    const { bytesPerSecondMin, rateWindowMs } = this.#floor
    const earnedMs = (bytes / bytesPerSecondMin) * 1000
    this.#ms = Math.min(rateWindowMs, Math.max(0, this.#ms - waitedMs) + earnedMs)
  }
}
