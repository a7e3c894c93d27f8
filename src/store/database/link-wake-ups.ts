import type { WakeUps, WakeUpTopic } from './wake-ups.ts'

export type WakeUpMessage =
  | { readonly kind: 'wake-up'; readonly topic: WakeUpTopic; readonly about?: string }
  /** With how many wake-ups of this topic the sender has received. */
  | { readonly kind: 'settled'; readonly topic: WakeUpTopic; readonly received: number }

interface WakeUpLink extends Disposable {
  /** To be called with what the other end sends, in its order and without gaps. */
  receive(message: WakeUpMessage): void
}

/**
 * One end of a link between two threads: wake-ups of these topics are sent to the other end, until disposal, and what that sends
 * wakes here. That a topic is settled holds only while the other end has received every wake-up of it: one on its way is not settled.
 */
export function linkWakeUps(
  wakeUps: WakeUps,
  topics: readonly WakeUpTopic[],
  send: (message: WakeUpMessage) => void,
): WakeUpLink {
  const sent = new Map<WakeUpTopic, number>()
  const received = new Map<WakeUpTopic, number>()
  const forwarding = wakeUps.forward(
    topics,
    (topic, about) => {
      increment(sent, topic)
      send({ kind: 'wake-up', topic, ...(about !== undefined && { about }) })
    },
    (topic) => send({ kind: 'settled', topic, received: received.get(topic) ?? 0 }),
  )
  return {
    receive(message) {
      const { kind, topic } = message
      switch (kind) {
        case 'wake-up':
          increment(received, topic)
          return wakeUps.notify(topic, { ...message, from: forwarding })
        case 'settled':
          if (message.received === (sent.get(topic) ?? 0)) wakeUps.settle(topic, forwarding)
      }
    },
    [Symbol.dispose]: () => forwarding[Symbol.dispose](),
  }
}

function increment(counts: Map<WakeUpTopic, number>, topic: WakeUpTopic): void {
  counts.set(topic, (counts.get(topic) ?? 0) + 1)
}
