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
  'ingested',
] as const

export type WakeUpTopic = (typeof wakeUpTopics)[number]

const isWakeUpTopic = (text: string): text is WakeUpTopic =>
  (wakeUpTopics as readonly string[]).includes(text)

interface Subscription {
  wake(about?: string): void
  /** Wake-ups about anything else are not for it. */
  readonly about?: string
  settle?(): void
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

  /**
   * `about`: the row that has changed; left out: any may have. `from`: the forwarding to where it came from, which does not
   * get it back.
   */
  notify(topic: WakeUpTopic, { about, from }: { about?: string; from?: object } = {}): void {
    for (const subscription of this.#subscriptions.get(topic) ?? []) {
      if (from !== undefined && subscription.forwarding === from) continue
      const isOther = about !== undefined && (subscription.about ?? about) !== about
      if (!isOther) subscription.wake(about)
    }
  }

  /**
   * Subscribe before you first read the rows: the subscription misses no later wake-up. With `about`, only those about
   * this row, and those about none.
   */
  subscribe(topic: WakeUpTopic, about?: string): WakeUpSubscription {
    const subscriptions = this.#of(topic)
    const end = () => subscriptions.delete(subscription)
    const subscription = new WakeUpSubscription(end, about)
    subscriptions.add(subscription)
    return subscription
  }

  /** Whatever the latest wake-ups of this topic were about has been done here: nobody else need be woken for it. `from`: as of `notify`. */
  settle(topic: WakeUpTopic, from?: object): void {
    for (const subscription of this.#subscriptions.get(topic) ?? []) {
      if (from === undefined || subscription.forwarding !== from) subscription.settle?.()
    }
  }

  /** Calls `tell` for every wake-up of these topics, and `settle` when it has been done here, until disposed. */
  forward<Topic extends WakeUpTopic>(
    topics: readonly Topic[],
    tell: (topic: Topic, about?: string) => void,
    settle: (topic: Topic) => void = () => undefined,
  ): Disposable {
    const stack = new DisposableStack()
    const forwarding = { [Symbol.dispose]: () => stack.dispose() }
    for (const topic of topics) {
      const subscriptions = this.#of(topic)
      const subscription: Subscription = {
        wake: (about) => tell(topic, about),
        settle: () => settle(topic),
        forwarding,
      }
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
  readonly about?: string
  readonly #unsubscribe: () => void

  constructor(unsubscribe: () => void, about?: string) {
    super()
    if (about !== undefined) this.about = about
    this.#unsubscribe = unsubscribe
  }

  [Symbol.dispose](): void {
    this.#unsubscribe()
  }
}

/** Of PostgreSQL's LISTEN and NOTIFY; its payload is a topic, with what it is about behind a space. Migrations name it too. */
export const wakeUpChannel = 'sitehost'

export const wakeUpText = (topic: WakeUpTopic, about?: string): string =>
  about === undefined ? topic : `${topic} ${about}`

/** Null for a topic of another release. */
export function parseWakeUp(
  text: string,
): { readonly topic: WakeUpTopic; readonly about?: string } | null {
  const [, topic = '', about] = /^(\S+)(?: (.+))?$/.exec(text) ?? []
  if (!isWakeUpTopic(topic)) return null
  return { topic, ...(about !== undefined && { about }) }
}
