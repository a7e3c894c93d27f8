import { expect, test } from 'bun:test'
import { matchesEtag } from './if-none-match.ts'

const facts: [string | null, boolean][] = [
  [null, false],
  ['', false],
  ['"a"', true],
  ['W/"a"', true],
  ['*', true],
  [' * ', true],
  ['"b"', false],
  ['"b", "a"', true],
  ['"b",W/"a"', true],
  ['"b" , ,"a"', true],
  ['a', false],
  ['"A"', false],
  ['w/"a"', false],
  ['"b", *', false],
  ['"a', false],
  [','.repeat(16_000), false],
]
for (const [header, matches] of facts) {
  test(`${String(header).slice(0, 40)}: ${matches ? '304' : '200'}`, () => {
    expect(matchesEtag(header, '"a"')).toBe(matches)
  })
}
