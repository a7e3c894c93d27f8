import { expect, test } from 'bun:test'
import { tidMilliseconds } from '#site/tid-milliseconds.ts'
import { isLater } from './revision.ts'

const [early, middle, late] = ['3kaaaa2222222', '3kaaab2222222', '3kaaac2222222'] as const
const middleMs = tidMilliseconds(middle)

const facts: [string, string, number, number, string, boolean][] = [
  // what, rev, readAt, seenAt, known rev, whether it is later
  ['a higher revision', late, 0, middleMs, middle, true],
  ['the same one', middle, middleMs + 9, 0, middle, false],
  ['a lower one', early, middleMs + 9, middleMs + 1, middle, false],
  ['a lower one, dated after we saw the higher one, and read after it', middle, 11, 10, late, true],
  ['read in the same millisecond', middle, 10, 10, late, false],
  ['dated in the same moment', middle, middleMs + 9, middleMs, late, false],
  ['dated a millisecond later', middle, middleMs + 9, middleMs - 1, late, true],
]
for (const [what, rev, readAt, seenAt, known, expected] of facts) {
  test(`${what}: ${expected ? 'later' : 'not later'}`, () => {
    expect(isLater({ rev, readAt }, { rev: known, seenAt })).toBe(expected)
  })
}

test('a TID says when it was made', () => {
  // One of the specification's examples.
  const date = new Date(tidMilliseconds('3jzfcijpj2z2a'))
  expect(date.toISOString()).toBe('2023-06-30T15:03:01.887Z')
})
