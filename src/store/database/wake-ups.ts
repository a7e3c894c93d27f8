import { WakeUp } from '#concurrency/wake-up.ts'
import type { WorkKind } from './schema.ts'

export type WakeUpTopic =
  | 'jobs'
  | 'job-progress'
  | 'changes'
  | 'account-deletions'
  | 'certificates'
  | 'certificates-wanted'
  | 'webhooks'
  | WorkKind

/** Wakes subscribers that wait for rows. A wake-up may come late, twice or not at all: subscribers also poll the rows. */
export class WakeUps {
  readonly #subscriptions = new Map<WakeUpTopic, Set<{ wake(): void }>>()

  notify(topic: WakeUpTopic): void {
    for (const subscription of this.#subscriptions.get(topic) ?? []) subscription.wake()
  }

  /** Subscribe before you first read the rows: the subscription misses no later wake-up. */
  subscribe(topic: WakeUpTopic): WakeUpSubscription {
    const subscriptions = this.#of(topic)
    const subscription = new WakeUpSubscription(() => subscriptions.delete(subscription))
    subscriptions.add(subscription)
    return subscription
  }

  /** Calls `tell` for every wake-up of these topics, until disposed. */
  forward<Topic extends WakeUpTopic>(
    topics: readonly Topic[],
    tell: (topic: Topic) => void,
  ): Disposable {
    using forwarding = new DisposableStack()
    for (const topic of topics) {
      const subscriptions = this.#of(topic)
      const subscription = { wake: () => tell(topic) }
      subscriptions.add(subscription)
      forwarding.defer(() => subscriptions.delete(subscription))
    }
    return forwarding.move()
  }

  #of(topic: WakeUpTopic): Set<{ wake(): void }> {
    const subscriptions = this.#subscriptions.get(topic) ?? new Set()
    this.#subscriptions.set(topic, subscriptions)
    return subscriptions
  }
}

export class WakeUpSubscription extends WakeUp implements Disposable {
  readonly #unsubscribe: () => void

  constructor(unsubscribe: () => void) {
    super()
    this.#unsubscribe = unsubscribe
  }

  [Symbol.dispose](): void {
    this.#unsubscribe()
  }
}
