import type { WorkKind } from './schema.ts'

/** What may have changed. */
export type HintTopic = 'jobs' | 'job-progress' | 'changes' | 'departures' | WorkKind

/**
 * Wakes whoever waits for rows that others write. A hint may come late, twice or not at all: the rows
 * are the truth, so whoever waits also looks by itself from time to time.
 */
export class Hints {
  readonly #subscriptions = new Map<HintTopic, Set<{ hint(): void }>>()

  notify(topic: HintTopic): void {
    for (const subscription of this.#subscriptions.get(topic) ?? []) subscription.hint()
  }

  /** Subscribe before the first look at the rows: no hint from then on is lost to this subscription. */
  subscribe(topic: HintTopic): HintSubscription {
    const subscriptions = this.#of(topic)
    const subscription = new HintSubscription(() => subscriptions.delete(subscription))
    subscriptions.add(subscription)
    return subscription
  }

  /** Has every hint about one of these told elsewhere too, until it is disposed of. */
  forward(topics: readonly HintTopic[], tell: (topic: HintTopic) => void): Disposable {
    using forwarding = new DisposableStack()
    for (const topic of topics) {
      const subscriptions = this.#of(topic)
      const subscription = { hint: () => tell(topic) }
      subscriptions.add(subscription)
      forwarding.defer(() => subscriptions.delete(subscription))
    }
    return forwarding.move()
  }

  #of(topic: HintTopic): Set<{ hint(): void }> {
    const subscriptions = this.#subscriptions.get(topic) ?? new Set()
    this.#subscriptions.set(topic, subscriptions)
    return subscriptions
  }
}

export class HintSubscription implements Disposable {
  readonly #unsubscribe: () => void
  #isHinted = false
  #wake: () => void = () => undefined

  constructor(unsubscribe: () => void) {
    this.#unsubscribe = unsubscribe
  }

  hint(): void {
    this.#isHinted = true
    this.#wake()
  }

  /** A hint came since the last wait, or since it was last taken. */
  get isHinted(): boolean {
    return this.#isHinted
  }

  /** Whether a hint came, without waiting for one. */
  take(): boolean {
    const isHinted = this.#isHinted
    this.#isHinted = false
    return isHinted
  }

  /** Resolves at the next hint, or at once if one came since the last wait; after `ms`; or on abort. */
  async wait(ms: number, signal?: AbortSignal): Promise<void> {
    if (!this.#isHinted && !signal?.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#wake = resolve
      const timer = setTimeout(resolve, ms)
      signal?.addEventListener('abort', this.#wake)
      await promise
      signal?.removeEventListener('abort', this.#wake)
      clearTimeout(timer)
    }
    this.#isHinted = false
  }

  [Symbol.dispose](): void {
    this.#unsubscribe()
  }
}
