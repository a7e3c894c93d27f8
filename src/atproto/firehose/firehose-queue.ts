import type { FirehoseEvent } from './firehose-format.ts'

/** Reading stops at this many queued events and continues at half of it. */
export const queueEventsMax = 2000

interface QueuedEvent {
  readonly event: FirehoseEvent
  /** When the source made it; null: it does not say. */
  readonly madeAt: number | null
}

/** A FIFO queue with one consumer. Consecutive calls of `pass` leave one event. */
export class FirehoseQueue {
  readonly #events: QueuedEvent[] = []
  #arrived = Promise.withResolvers<void>()
  #isClosed = false

  get isFull(): boolean {
    return this.#events.length >= queueEventsMax
  }

  get hasCapacity(): boolean {
    return this.#events.length <= queueEventsMax / 2
  }

  /** When the source made the event that is taken next; null: there is none, or it does not say. */
  get nextMadeAt(): number | null {
    return this.#events[0]?.madeAt ?? null
  }

  push(event: FirehoseEvent, madeAt: number | null = null): void {
    this.#events.push({ event, madeAt })
    this.#arrived.resolve()
  }

  /** No event of ours up to this cursor. */
  pass(cursor: number, madeAt: number | null = null): void {
    const last = this.#events.at(-1)
    const passed = last?.event.kind === 'passed' ? this.#events.pop() : undefined
    this.push({ kind: 'passed', cursor }, passed?.madeAt ?? madeAt)
  }

  take(max: number): FirehoseEvent[] {
    return this.#events.splice(0, max).map(({ event }) => event)
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
