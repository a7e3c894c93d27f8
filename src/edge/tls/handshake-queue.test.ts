import { beforeEach, expect, test } from 'bun:test'
import {
  burstMsMax,
  HandshakeQueue,
  handshakeShare,
  pauseMsMax,
  waitingHandshakesMax,
} from './handshake-queue.ts'

let now: number
let scheduled: { readonly ms: number; readonly at: number; readonly run: () => void }[]
let begun: { readonly name: string; readonly at: number }[]
let queue: HandshakeQueue
beforeEach(() => {
  now = 1_000
  scheduled = []
  begun = []
  queue = new HandshakeQueue({
    now: () => now,
    later: (run, ms) => void scheduled.push({ ms, at: now + ms, run }),
  })
})

const add = (name: string, network = name, tookMs = 0.6): boolean =>
  queue.add(network, () => {
    begun.push({ name, at: now })
    now += tookMs
  })
const names = (): string => begun.map(({ name }) => name).join(' ')

/** Until nothing is scheduled. Returns how long each wait was. */
function passTime(): number[] {
  const waits: number[] = []
  for (let next = scheduled.shift(); next !== undefined; next = scheduled.shift()) {
    now = Math.max(now, next.at)
    waits.push(next.ms)
    next.run()
  }
  return waits
}

test('a handshake that comes alone begins at once', () => {
  for (const name of ['a', 'b', 'c']) {
    add(name)
    expect(names()).toEndWith(name)
    expect(passTime()).toEqual([0])
    now += 10
  }
})

const paces: [what: string, tookMs: number][] = [
  ['of an elliptic curve', 0.6],
  ['of a long RSA key', 7],
  ['as long as the longest pause is for', pauseMsMax * handshakeShare],
]
test.each(paces)('those that come together have their share and a burst: %s', (_, tookMs) => {
  const startedAt = now
  for (let count = 0; count < 100; count++) add('a', 'a', tookMs)
  expect(begun).toHaveLength(1)
  expect(scheduled).toHaveLength(1)
  passTime()
  expect(begun).toHaveLength(100)
  for (const [index, { at }] of begun.entries()) {
    const usedMs = index * tookMs
    const shareMs = (at - startedAt + burstMsMax) * handshakeShare
    expect(usedMs).toBeLessThan(shareMs + tookMs + 0.001)
    // A timer has whole milliseconds.
    if (index > 0) expect(at - startedAt).toBeLessThan(usedMs / handshakeShare + index)
  }
})

test('one that is added in the turn of another waits for the next turn', () => {
  add('a')
  add('b')
  expect(names()).toBe('a')
  expect(passTime()).toEqual([0, 0])
  expect(names()).toBe('a b')
})

test('the first of those that come together need no pause, only turns of the event loop', () => {
  for (let count = 0; count < 100; count++) add('a', 'a', 0.3)
  const pauses = passTime()
  const first = pauses.findIndex((ms) => ms > 0)
  expect(first).toBeGreaterThan(20)
  expect(begun[first]?.at).toBeLessThan(1_000 + burstMsMax)
})

test('one that took long, such as over a suspension, delays the next for no more than so long', () => {
  add('a', 'a', 60_000)
  const endedAt = now
  add('b')
  passTime()
  expect(begun[1]?.at).toBeLessThanOrEqual(endedAt + pauseMsMax)
})

test('those of closed connections, which take nothing, delay nobody', () => {
  for (let count = 0; count < 200; count++) add('closed', 'a', 0)
  add('b')
  expect(names()).toEndWith('closed b')
  expect(passTime()).toEqual([0])
})

test('networks come round robin: a flood delays another network by one handshake', () => {
  for (let count = 1; count <= 4; count++) add(`a${count}`, 'a')
  for (let count = 1; count <= 2; count++) add(`b${count}`, 'b')
  add('c1', 'c')
  passTime()
  expect(names()).toBe('a1 a2 b1 c1 a3 b2 a4')
})

test('one that throws stops no other', () => {
  const fail = (): void => {
    throw new Error('failed')
  }
  expect(() => queue.add('a', fail)).toThrow('failed')
  add('b')
  queue.add('a', fail)
  add('c')
  expect(passTime).toThrow('failed')
  passTime()
  expect(names()).toBe('b c')
})

test('so many wait, and one more is refused', () => {
  // The first begins at once.
  for (let count = 0; count <= waitingHandshakesMax; count++) expect(add('a')).toBe(true)
  expect(add('b')).toBe(false)
  passTime()
  expect(begun).toHaveLength(waitingHandshakesMax + 1)
  expect(add('b')).toBe(true)
})
