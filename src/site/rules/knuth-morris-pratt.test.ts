import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { compileNeedle, indexOfNeedle } from './knuth-morris-pratt.ts'

test('finds what indexOf finds', () => {
  const text = (maxLength: number) =>
    fc
      .array(fc.constantFrom('a', 'b', 'é'), { minLength: 1, maxLength })
      .map((units) => units.join(''))
  let found = 0
  fc.assert(
    fc.property(text(6), text(40), fc.nat(8), (needle, haystack, from) => {
      const expected = haystack.indexOf(needle, from)
      expect(indexOfNeedle(compileNeedle(needle), haystack, from)).toBe(expected)
      found += Number(expected > 0)
    }),
    { numRuns: 3000, seed: 20261122 },
  )
  expect(found).toBeGreaterThan(400)
})
