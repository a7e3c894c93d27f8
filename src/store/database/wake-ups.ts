import { WakeUp } from '#concurrency/wake-up.ts'

export const wakeUpTopics = [
  'jobs',
  'job-progress',
  'changes',
  'account-deletions',
  'certificates',
  'certificates-wanted',
  'duties',
  'webhooks',
  'site',
  'version',
  'account',
] as const

export type WakeUpTopic = (typeof wakeUpTopics)[number]

export const isWakeUpTopic = (text: string): text is WakeUpTopic =>
  (wakeUpTopics as readonly string[]).includes(text)

interface Subscription {
  wake(): void
  /** Of a forwarding. */
  readonly forwarding?: object
}

/** Wakes subscribers that wait for rows. A wake-up may come late, twice or not at all: subscribers also poll the rows. */
export class WakeUps {
  readonly #subscriptions = new Map<WakeUpTopic, Set<Subscription>>()
  readonly #onSharing = new Set<(areShared: boolean) => void>()
  #areShared = false

  /** Whether those of all processes on the database come here: who polls may do it rarely. */
  get areShared(): boolean {
    return this.#areShared
  }

  share(areShared: boolean): void {
    this.#areShared = areShared
    for (const tell of this.#onSharing) tell(areShared)
  }

  /** Calls `tell` now and whenever `areShared` is set, until disposed. */
  onSharing(tell: (areShared: boolean) => void): Disposable {
    this.#onSharing.add(tell)
    tell(this.#areShared)
    return { [Symbol.dispose]: () => this.#onSharing.delete(tell) }
  }

  /** `from`: the forwarding to where it came from, which does not get it back. */
  notify(topic: WakeUpTopic, from?: object): void {
    for (const subscription of this.#subscriptions.get(topic) ?? []) {
      if (from === undefined || subscription.forwarding !== from) subscription.wake()
    }
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
    const stack = new DisposableStack()
    const forwarding = { [Symbol.dispose]: () => stack.dispose() }
    for (const topic of topics) {
      const subscriptions = this.#of(topic)
      const subscription: Subscription = { wake: () => tell(topic), forwarding }
      subscriptions.add(subscription)
      stack.defer(() => subscriptions.delete(subscription))
    }
    return forwarding
  }

  #of(topic: WakeUpTopic): Set<Subscription> {
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

/** Of PostgreSQL's LISTEN and NOTIFY; its payload is a topic. Migrations name it too. */
export const wakeUpChannel = 'sitehost'
