import { describe, expect, test } from 'bun:test'
import { SignInDelays, type SignInTry } from './admin-sign-in-delays.ts'

const minuteMs = 60_000

function begin() {
  const clock = { now: 1_000_000 }
  const delays = new SignInDelays({ now: () => clock.now })
  const tryAs = (tried: Partial<SignInTry> = {}) => ({
    name: 'ruth',
    network: '192.0.2.1',
    device: null,
    ...tried,
  })
  return {
    clock,
    once: (tried?: Partial<SignInTry>) => delays.begin(tryAs(tried)),
    succeed: (tried?: Partial<SignInTry>) => delays.succeeded(tryAs(tried)),
    /** Tries again as soon as it may, and says how long it waited before each. */
    patiently(times: number, tried?: Partial<SignInTry>): number[] {
      return Array.from({ length: times }, () => {
        const waitMs = delays.begin(tryAs(tried))
        clock.now += waitMs
        if (waitMs > 0) delays.begin(tryAs(tried))
        return waitMs
      })
    },
  }
}

const networks = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ network: `2001:db8:0:${i.toString(16)}::/64` }))

describe('one who guesses', () => {
  test('five at once, then waits twice as long each time', () => {
    const { patiently } = begin()
    expect(patiently(9)).toEqual([0, 0, 0, 0, 0, 2000, 4000, 8000, 16_000])
  })

  test('no longer than a quarter of an hour', () => {
    const { patiently } = begin()
    expect(Math.max(...patiently(40, { device: 'd' }))).toBe(15 * minuteMs)
  })

  test('waits as long, however often it is tried meanwhile', () => {
    const { clock, once, patiently } = begin()
    patiently(5)
    for (let i = 0; i < 100; i++) once()
    expect(once()).toBe(2000)
    clock.now += 2000
    expect(once()).toBe(0)
  })

  test('is forgotten after an hour without a try, and when it succeeded', () => {
    const { clock, once, patiently, succeed } = begin()
    patiently(7)
    clock.now += 60 * minuteMs
    expect(patiently(5)).toEqual([0, 0, 0, 0, 0])
    succeed()
    expect(once()).toBe(0)
  })

  test('does not get further with other names', () => {
    const { once } = begin()
    const waits = Array.from({ length: 25 }, (_, i) => once({ name: `name-${i}` }))
    expect(waits.filter((waitMs) => waitMs === 0)).toHaveLength(20)
  })
})

describe('whom guessing does not concern', () => {
  test('the same name in another network, another name in the same network', () => {
    const { once, patiently } = begin()
    patiently(8)
    expect([once({ network: '192.0.2.2' }), once({ name: 'ada' })]).toEqual([0, 0])
  })

  test('a browser that signed in before, though its neighbours guess', () => {
    const { once } = begin()
    for (let i = 0; i < 100; i++) once()
    expect(once()).toBeGreaterThan(0)
    expect(once({ device: 'd' })).toBe(0)
  })

  test('somebody in a network of their own, though the whole world guesses', () => {
    const { once } = begin()
    for (const network of networks(1000)) once(network)
    expect(once({ network: '192.0.2.2' })).toBe(0)
  })
})

describe('a name that the whole world guesses', () => {
  test('gives each network one try a quarter of an hour', () => {
    const { clock, once } = begin()
    for (const network of networks(1000)) once(network)
    expect([once(), once()]).toEqual([0, 15 * minuteMs])
    clock.now += 15 * minuteMs - 1
    expect(once()).toBe(1)
  })

  test('is as before when they have stopped', () => {
    const { clock, once, patiently } = begin()
    for (const network of networks(1000)) once(network)
    clock.now += 60 * minuteMs
    expect(patiently(6)).toEqual([0, 0, 0, 0, 0, 2000])
  })

  test('is tried at most so often by a hundred networks in a day', () => {
    const { clock, once } = begin()
    let tries = 0
    const some = networks(100)
    for (let minute = 0; minute < 24 * 60; minute++) {
      for (const network of some) if (once(network) === 0) tries++
      clock.now += minuteMs
    }
    // Four an hour for each, and fifty that come back to all of them together.
    expect(tries).toBeLessThan(100 * 4 * 24 + 50 * 24 + 500)
  })
})
