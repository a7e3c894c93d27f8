import { describe, expect, test } from 'bun:test'
import { TransferCredit } from './bounded-response.ts'

/** At least 100 bytes a second, over 10 seconds. */
const floor = { bytesPerSecondMin: 100, rateWindowMs: 10_000 }

describe('what a transfer may keep us waiting', () => {
  const facts: [string, [bytes: number, waitedMs: number][], number][] = [
    ['nothing came yet', [], 10_000],
    ['a byte at once', [[1, 0]], 10_000],
    ['half a window for nothing', [[0, 5_000]], 5_000],
    ['all of a window for nothing', [[0, 10_000]], 0],
    ['more than that', [[0, 60_000]], 0],
    ['just fast enough', Array(100).fill([100, 1_000]), 10_000],
    ['a little too slow, for long: the next second is not over', Array(100).fill([90, 1_000]), 900],
    ['a little too slow, for a while', Array(50).fill([90, 1_000]), 5_000],
    ['fast before it was slow', [[1_000_000, 1_000], ...Array(10).fill([0, 1_000])], 0],
    [
      'slow before it was fast',
      [
        [0, 9_000],
        [900, 0],
      ],
      10_000,
    ],
  ]
  test.each(facts)('%s', (_, chunks, expected) => {
    const credit = new TransferCredit(floor)
    for (const [bytes, waitedMs] of chunks) credit.received(bytes, waitedMs)
    expect(Math.round(credit.ms)).toBe(expected)
  })
})
