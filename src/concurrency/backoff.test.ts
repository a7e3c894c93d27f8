import { expect, test } from 'bun:test'
import { backoff } from './backoff.ts'

const pauses = (jitter: number, random: number): number[] =>
  [0, 1, 2, 3, 4, 5000].map(backoff({ min: 10, max: 50, jitter, random: () => random }))

test.each([
  ['no jitter', 0, 0.5, [10, 20, 40, 50, 50, 50]],
  ['equal jitter, longest', 0.5, 0, [10, 20, 40, 50, 50, 50]],
  ['equal jitter, in the middle', 0.5, 0.5, [7.5, 15, 30, 37.5, 37.5, 37.5]],
  ['equal jitter, shortest', 0.5, 1, [5, 10, 20, 25, 25, 25]],
  ['full jitter, longest', 1, 0, [10, 20, 40, 50, 50, 50]],
  ['full jitter, shortest', 1, 1, [0, 0, 0, 0, 0, 0]],
])('%s', (_, jitter, random, expected) => {
  expect(pauses(jitter, random)).toEqual(expected)
})

test('the jitter differs from pause to pause', () => {
  const pauseMs = backoff({ min: 1000, max: 1000, jitter: 1 })
  expect(new Set(Array.from({ length: 20 }, () => pauseMs(0))).size).toBeGreaterThan(1)
})
