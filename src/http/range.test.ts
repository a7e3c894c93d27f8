import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { anyText } from '#tests/support/hostile/any-text.ts'
import { fuzzRunsOf } from '#tests/support/hostile/fuzz.ts'
import { cpuMs } from '#tests/support/processes/cpu-ms.ts'
import { contentRange, decideRange, type RangeDecision } from './range.ts'

const etag = '"a"'
const decide = (range: string | null, length: number, ifRange: string | null = null) =>
  decideRange(range, ifRange, etag, length)
const part = (first: number, last: number): RangeDecision => ({ first, last })

test.each<[string | null, number, RangeDecision]>([
  [null, 10, 'whole'],
  // one range
  ['bytes=0-0', 10, part(0, 0)],
  ['bytes=0-9', 10, part(0, 9)],
  ['bytes=2-5', 10, part(2, 5)],
  ['bytes=9-', 10, part(9, 9)],
  ['bytes=0-', 10, part(0, 9)],
  ['bytes=00002-05', 10, part(2, 5)],
  ['BYTES=2-5', 10, part(2, 5)],
  [' bytes= 2-5 ', 10, part(2, 5)],
  ['bytes=, 2-5,', 10, part(2, 5)],
  // suffix
  ['bytes=-1', 10, part(9, 9)],
  ['bytes=-10', 10, part(0, 9)],
  ['bytes=-11', 10, part(0, 9)],
  [`bytes=-${'9'.repeat(400)}`, 10, part(0, 9)],
  // clipped end
  ['bytes=5-10', 10, part(5, 9)],
  ['bytes=5-99999999999999999999', 10, part(5, 9)],
  [`bytes=5-${'9'.repeat(400)}`, 10, part(5, 9)],
  // unsatisfiable
  ['bytes=10-', 10, 'unsatisfiable'],
  ['bytes=10-20', 10, 'unsatisfiable'],
  [`bytes=${'9'.repeat(400)}-`, 10, 'unsatisfiable'],
  ['bytes=9007199254740992-9007199254740993', 10, 'unsatisfiable'],
  ['bytes=9007199254740993-009007199254740993', 10, 'unsatisfiable'],
  ['bytes=-0', 10, 'unsatisfiable'],
  ['bytes=0-', 0, 'unsatisfiable'],
  ['bytes=0-0', 0, 'unsatisfiable'],
  ['bytes=-0', 0, 'unsatisfiable'],
  // nothing of nothing
  ['bytes=-5', 0, 'whole'],
  // malformed
  ['', 10, 'whole'],
  ['bytes', 10, 'whole'],
  ['bytes=', 10, 'whole'],
  ['bytes=-', 10, 'whole'],
  ['bytes=5', 10, 'whole'],
  ['bytes=5-2', 10, 'whole'],
  ['bytes=20-15', 10, 'whole'],
  ['bytes=0020-15', 10, 'whole'],
  // beyond what a number can tell apart
  ['bytes=9007199254740993-9007199254740992', 10, 'whole'],
  [`bytes=${'9'.repeat(400)}-${'9'.repeat(399)}8`, 10, 'whole'],
  ['bytes=--1', 10, 'whole'],
  ['bytes=+1-2', 10, 'whole'],
  ['bytes=1.0-2', 10, 'whole'],
  ['bytes=0x1-2', 10, 'whole'],
  ['bytes=1 -2', 10, 'whole'],
  ['bytes=1- 2', 10, 'whole'],
  ['bytes =1-2', 10, 'whole'],
  ['bytes=a-b', 10, 'whole'],
  ['bytes=١-٢', 10, 'whole'],
  // another unit
  ['items=0-5', 10, 'whole'],
  ['0-5', 10, 'whole'],
  // several
  ['bytes=0-1,3-4', 10, 'whole'],
  ['bytes=0-1,0-1', 10, 'whole'],
  ['bytes=0-1,20-', 10, 'whole'],
  ['bytes=0-1, bytes=3-4', 10, 'whole'],
])('Range %j of %d bytes: %j', (range, length, decision) => {
  expect(decide(range, length)).toEqual(decision)
})

describe('If-Range', () => {
  test.each<[string, RangeDecision]>([
    ['"a"', part(2, 5)],
    [' "a" ', part(2, 5)],
    ['"b"', 'whole'],
    ['W/"a"', 'whole'],
    ['"a", "b"', 'whole'],
    ['*', 'whole'],
    ['a', 'whole'],
    ['', 'whole'],
    ['Tue, 01 Jan 2030 00:00:00 GMT', 'whole'],
  ])('%j: %j', (ifRange, decision) => {
    expect(decide('bytes=2-5', 10, ifRange)).toEqual(decision)
  })

  test('a range that cannot be is none when the file is another', () => {
    expect(decide('bytes=10-', 10, '"b"')).toBe('whole')
    expect(decide('bytes=10-', 10, '"a"')).toBe('unsatisfiable')
  })

  test('means nothing without Range', () => {
    expect(decide(null, 10, '"a"')).toBe('whole')
  })
})

test('Content-Range says which bytes, or how many there are', () => {
  expect(contentRange({ first: 2, last: 5 }, 10)).toBe('bytes 2-5/10')
  expect(contentRange('unsatisfiable', 10)).toBe('bytes */10')
})

test('any range is within the file, or none', () => {
  const number = fc.oneof(fc.nat(30), fc.constant(''), fc.bigInt({ min: 0n }))
  const range = fc.oneof(
    fc.tuple(number, number).map(([first, last]) => `bytes=${first}-${last}`),
    anyText(),
  )
  fc.assert(
    fc.property(range, fc.nat(30), (range, length) => {
      const decision = decide(range, length)
      if (typeof decision === 'string') return
      expect(decision.first).toBeGreaterThanOrEqual(0)
      expect(decision.first).toBeLessThanOrEqual(decision.last)
      expect(decision.last).toBeLessThan(length)
    }),
    { numRuns: fuzzRunsOf(500) },
  )
})

test('a very long header takes no longer than its length', () => {
  const spent = cpuMs(() => {
    for (const unit of [' ', ',', '1', '-', '1-2,']) {
      decide(`bytes=${unit.repeat(100_000)}x`, 10)
      decide(`bytes=${unit.repeat(100_000)}-${unit.repeat(99_999)}`, 10)
      decide('bytes=0-', 10, unit.repeat(100_000))
    }
  })
  expect(spent).toBeLessThan(1000)
})
