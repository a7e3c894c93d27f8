import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { ContentCoding } from '#http/accept-encoding.ts'
import { preferredCoding } from '#http/accept-encoding.ts'
import { fuzzRunsOf } from '#tests/support/hostile/fuzz.ts'
import { CodingChoices, codingSet } from './codings.ts'

describe('a set of codings', () => {
  test.each<[ContentCoding[], ContentCoding[]]>([
    [[], ['identity']],
    [['identity'], ['identity']],
    [['gzip'], ['gzip', 'identity']],
    [
      ['identity', 'br'],
      ['br', 'identity'],
    ],
    [
      ['identity', 'gzip', 'br'],
      ['br', 'gzip', 'identity'],
    ],
    [
      ['identity', 'zstd'],
      ['zstd', 'identity'],
    ],
    [
      ['gzip', 'zstd', 'br'],
      ['br', 'zstd', 'gzip', 'identity'],
    ],
  ])('of %p is %p', (some, all) => {
    expect(codingSet(some).codings).toEqual(all)
    expect(codingSet(some)).toBe(codingSet(some.toReversed()))
  })
})

test('a choice is that of preferredCoding, however often and after whatever it is made', () => {
  const header = fc.option(
    fc.oneof(
      fc.constantFrom(
        'gzip',
        'gzip, br',
        'br;q=0.1, gzip, zstd',
        'zstd',
        'identity;q=0',
        '*',
        ' , ',
      ),
      fc.string({ maxLength: 300 }),
    ),
  )
  const some = fc.subarray<ContentCoding>(['br', 'zstd', 'gzip', 'identity'])
  const choices = new CodingChoices()
  fc.assert(
    fc.property(header, some, (accept, codings) => {
      const set = codingSet(codings)
      const expected = preferredCoding(accept, set.codings)
      expect([choices.choose(accept, set), choices.choose(accept, set)]).toEqual([
        expected,
        expected,
      ])
    }),
    { numRuns: fuzzRunsOf(500) },
  )
})
