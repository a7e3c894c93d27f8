import type { LogEntry } from './log-entry.ts'

/** Entries that wait to be stored; more are dropped, and counted. */
const queuedEntriesMax = 10_000

/** Entries between the log and its store, which may be slow, away or not open yet. */
export class LogQueue {
  readonly #entries: LogEntry[] = []
  readonly #max: number
  #dropped = 0

  constructor({ max = queuedEntriesMax }: { readonly max?: number } = {}) {
    this.#max = max
  }

  readonly add = (entry: LogEntry): void => {
    if (this.#entries.length < this.#max) this.#entries.push(entry)
    else this.#dropped += 1
  }

  get length(): number {
    return this.#entries.length
  }

  /** The oldest entries; they stay in the queue. */
  first(max: number): readonly LogEntry[] {
    return this.#entries.slice(0, max)
  }

  /** Removes the oldest entries: they are stored, or cannot be. */
  remove(count: number): void {
    this.#entries.splice(0, count)
  }

  /** How many were dropped since the last call. */
  takeDropped(): number {
    const dropped = this.#dropped
    this.#dropped = 0
    return dropped
  }
}
