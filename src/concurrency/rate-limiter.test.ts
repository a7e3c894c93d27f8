import { describe, expect, test } from 'bun:test'
import { RateLimiter } from './rate-limiter.ts'

const minute = 60_000

function limiterOf(count: number, windowMs: number, keysMax?: number) {
  const clock = { now: 1_000_000 }
  const limiter = new RateLimiter(
    { count, windowMs },
    { now: () => clock.now, ...(keysMax !== undefined && { keysMax }) },
  )
  const takeMany = (times: number, key = 'a') =>
    Array.from({ length: times }, () => limiter.take(key)).filter((waitMs) => waitMs === 0).length
  return { clock, limiter, takeMany }
}

for (const [count, windowMs] of [
  [1, minute],
  [3, minute],
  [7, 1000],
  [1000, 10 * minute],
  [20_000, 10 * minute],
] as const) {
  test(`${count} in a burst, and not one more`, () => {
    expect(limiterOf(count, windowMs).takeMany(count + 5)).toBe(count)
  })

  test(`${count} again after ${windowMs} ms, and no more for waiting longer`, () => {
    const { clock, takeMany } = limiterOf(count, windowMs)
    takeMany(count)
    clock.now += windowMs
    expect(takeMany(count + 5)).toBe(count)
    clock.now += 10 * windowMs
    expect(takeMany(count + 5)).toBe(count)
  })
}

describe('refills evenly', () => {
  test('one third of the window: one of three', () => {
    const { clock, limiter, takeMany } = limiterOf(3, minute)
    takeMany(3)
    expect(limiter.take('a')).toBe(20_000)
    clock.now += 19_999
    expect(limiter.take('a')).toBe(1)
    clock.now += 1
    expect(takeMany(3)).toBe(1)
  })

  test('retrying does not extend the wait', () => {
    const { limiter, takeMany } = limiterOf(3, minute)
    takeMany(1000)
    expect(limiter.take('a')).toBe(20_000)
  })
})

test('keys do not see each other', () => {
  const { takeMany } = limiterOf(2, minute)
  expect([takeMany(5, 'a'), takeMany(5, 'b')]).toEqual([2, 2])
})

test('it remembers at most `keysMax` keys, and certainly the half used last', () => {
  const { limiter } = limiterOf(1, minute, 8)
  const keys = Array.from({ length: 100 }, (_, i) => `key-${i}`)
  for (const key of keys) limiter.take(key)
  const remembered = keys.filter((key) => limiter.take(key) > 0)
  expect(remembered.length).toBeLessThanOrEqual(8)
  expect(keys.slice(-4).map((key) => limiter.take(key) > 0)).toEqual([true, true, true, true])
})
