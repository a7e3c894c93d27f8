import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { fuzzRunsOf } from '#tests/support/hostile/fuzz.ts'
import { compileGlob, compileNeedle, indexOfNeedle, matchGlob } from './glob.ts'

/** As Netlify reads a `_headers`, but that whole segments stay whole: `/a/*` is not for `/ab`. */
function netlifyPattern(segments: readonly string[]): RegExp {
  const parts = segments.map((segment) =>
    /^\*+$/.test(segment) ? '(?:/.*)?' : `/${segment.split('*').map(RegExp.escape).join('.*')}`,
  )
  return new RegExp(`^${parts.join('')}$`)
}

const fits = (pattern: readonly string[], path: readonly string[]): boolean => {
  const text = ['', ...path, ''].join('/')
  return matchGlob(compileGlob(pattern), text, 0, text.length) !== null
}

const word = fc.array(fc.constantFrom('a', 'b', '*'), { minLength: 1, maxLength: 5 })
const starred = fc.array(
  word.map((letters) => letters.join('')),
  { minLength: 1, maxLength: 4 },
)
const asked = fc.array(fc.stringMatching(/^[ab]{1,4}$/), { maxLength: 5 })

test('a path matches where an equivalent regular expression does', () => {
  let fitting = 0
  fc.assert(
    fc.property(
      starred.filter((segments) => segments.some((segment) => segment.includes('*'))),
      asked,
      (pattern, path) => {
        const expected = netlifyPattern(pattern).test(path.map((name) => `/${name}`).join(''))
        expect(fits(pattern, path)).toBe(expected)
        fitting += Number(expected)
      },
    ),
    { numRuns: fuzzRunsOf(1000), seed: 20261122 },
  )
  expect(fitting).toBeGreaterThan(80)
})

test('compares only the given part of a string', () => {
  const text = '/x/a.js/b.js/y/'
  const glob = compileGlob(['*.js'])
  expect(matchGlob(glob, text, 2, 13)).toEqual({ from: 3, to: 9 })
  expect(matchGlob(glob, text, 2, 8)).toEqual({ from: 3, to: 4 })
  expect(matchGlob(glob, text, 2, 15)).toBeNull()
})

test.each([
  ['a*b', '%2A*', ['a*b', '**']],
  ['caf%C3%A9*', '*', ['café', 'x']],
])('%s/%s is decoded', (a, b, path) => {
  expect(fits([a, b], path)).toBe(true)
})

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
    { numRuns: fuzzRunsOf(1000), seed: 20261122 },
  )
  expect(found).toBeGreaterThan(130)
})
