import { beforeEach, expect, test } from 'bun:test'
import {
  HandshakeQueue,
  handshakeShare,
  pauseMsMax,
  waitingHandshakesMax,
} from './handshake-queue.ts'

let now: number
let scheduled: { readonly at: number; readonly run: () => void }[]
let begun: { readonly name: string; readonly at: number }[]
let queue: HandshakeQueue
beforeEach(() => {
  now = 1_000
  scheduled = []
  begun = []
  queue = new HandshakeQueue({
    now: () => now,
    later: (run, ms) => void scheduled.push({ at: now + ms, run }),
  })
})

const add = (name: string, network = name, tookMs = 0.6): boolean =>
  queue.add(network, () => {
    begun.push({ name, at: now })
    now += tookMs
  })
const names = (): string => begun.map(({ name }) => name).join(' ')

/** Until nothing is scheduled. */
function passTime(): void {
  for (let next = scheduled.shift(); next !== undefined; next = scheduled.shift()) {
    now = Math.max(now, next.at)
    next.run()
  }
}

test('a handshake that comes alone begins at once', () => {
  for (const name of ['a', 'b', 'c']) {
    add(name)
    expect(names()).toEndWith(name)
    now += 10
  }
  expect(scheduled).toEqual([])
})

const paces: [what: string, tookMs: number, share: number][] = [
  ['of an elliptic curve', 0.6, handshakeShare],
  ['of a long RSA key', 8, handshakeShare],
  ['as long as the longest pause is for', 15, handshakeShare],
]
test.each(paces)('those that come together are spread: %s', (_, tookMs, share) => {
  const startedAt = now
  for (let count = 0; count < 50; count++) add('a', 'a', tookMs)
  expect(begun).toHaveLength(1)
  expect(scheduled).toHaveLength(1)
  passTime()
  expect(begun).toHaveLength(50)
  const gaps = begun.slice(1).map(({ at }, index) => at - (begun[index]?.at ?? 0) - tookMs)
  // Never two without a turn of the event loop in between.
  expect(Math.min(...gaps)).toBeGreaterThan(0)
  const used = (49 * tookMs) / ((begun.at(-1)?.at ?? 0) - startedAt)
  expect(used).toBeLessThan(share + 0.01)
  // A timer has whole milliseconds.
  expect(used).toBeGreaterThan(share * 0.75)
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
  expect(scheduled).toEqual([])
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
