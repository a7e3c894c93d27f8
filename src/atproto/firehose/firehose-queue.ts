import type { FirehoseEvent } from './firehose-event.ts'

/** Reading stops at this many events that nobody has taken, and goes on at half of it. */
export const queueEventsMax = 2000

/** Events on their way to their one consumer, in order. `pass` never adds to a queue that has just passed. */
export class FirehoseQueue {
  readonly #events: FirehoseEvent[] = []
  #arrived = Promise.withResolvers<void>()
  #isClosed = false

  get isFull(): boolean {
    return this.#events.length >= queueEventsMax
  }

  get hasRoom(): boolean {
    return this.#events.length <= queueEventsMax / 2
  }

  push(event: FirehoseEvent): void {
    this.#events.push(event)
    this.#arrived.resolve()
  }

  /** Nothing of ours up to this cursor. */
  pass(cursor: number): void {
    if (this.#events.at(-1)?.kind === 'passed') this.#events.pop()
    this.push({ kind: 'passed', cursor })
  }

  take(): FirehoseEvent | undefined {
    return this.#events.shift()
  }

  /** Resolves when there is something to take, or the queue is closed. */
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
