import type { FirehoseEvent } from './firehose-format.ts'

/** Reading stops at this many queued events and continues at half of it. */
export const queueEventsMax = 2000

/** A FIFO queue with one consumer. Consecutive calls of `pass` leave one event. */
export class FirehoseQueue {
  readonly #events: FirehoseEvent[] = []
  #arrived = Promise.withResolvers<void>()
  #isClosed = false

  get isFull(): boolean {
    return this.#events.length >= queueEventsMax
  }

  get hasCapacity(): boolean {
    return this.#events.length <= queueEventsMax / 2
  }

  push(event: FirehoseEvent): void {
    this.#events.push(event)
    this.#arrived.resolve()
  }

  /** No event of ours up to this cursor. */
  pass(cursor: number): void {
    if (this.#events.at(-1)?.kind === 'passed') this.#events.pop()
    this.push({ kind: 'passed', cursor })
  }

  take(max: number): FirehoseEvent[] {
    return this.#events.splice(0, max)
  }

  /** Resolves when there are events to take, or the queue is closed. */
  async arrival(): Promise<void> {
    if (this.#events.length > 0 || this.#isClosed) return
    this.#arrived = Promise.withResolvers()
    await this.#arrived.promise
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  close(): void {
    this.#isClosed = true
    this.#arrived.resolve()
  }
}
