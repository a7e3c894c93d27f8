import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { fuzzRunsOf } from '#tests/support/hostile/fuzz.ts'
import { parseShallowJson } from './shallow-json.ts'

const limits = { depthMax: 2, charsMax: 1000 }
const read = (text: string) => parseShallowJson(text, limits)

test('deep values are null, whatever they contain', () => {
  const text = '{"a":[1,{"b":["]}",{}]},[],"[\\"{"],"c":"}","d":{"e":[[[}]}}}'
  expect(read(text)).toEqual({ a: [1, null, null, '["{'], c: '}', d: { e: null } })
})

test('shallow values are as JSON.parse returns them', () => {
  const cut = (value: unknown, depth: number): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (depth === 0) return null
    if (Array.isArray(value)) return value.map((each) => cut(each, depth - 1))
    return Object.fromEntries(Object.entries(value).map(([at, each]) => [at, cut(each, depth - 1)]))
  }
  fc.assert(
    fc.property(fc.json(), fc.nat(4), (text, depthMax) => {
      const value = parseShallowJson(text, { depthMax, charsMax: Number.POSITIVE_INFINITY })
      expect(JSON.stringify(value)).toBe(JSON.stringify(cut(JSON.parse(text), depthMax)))
    }),
    { numRuns: fuzzRunsOf(500) },
  )
})

describe('as many characters as are read', () => {
  test('are read', () => expect(read(JSON.stringify('x'.repeat(998)))).toHaveLength(998))
  test('where those of deep values do not count', () => {
    expect(read(`[[[${'[],{},"]",'.repeat(100_000)}0]]]`)).toEqual([[null]])
    expect(read(`{"a":{"b":["${'x'.repeat(100_000)}"]}}`)).toEqual({ a: { b: null } })
  })
  test.each([
    ['one more', JSON.stringify('x'.repeat(999))],
    ['in front of what is deep', `[["${'x'.repeat(1000)}",[]]]`],
    ['with what stands for what is deep', `[${'[[]],'.repeat(150)}0]`],
  ])('%s', (_, text) => expect(() => read(text)).toThrow('more than 1000 characters'))
})

test.each(['', '[', '[[[', ']', '[]]', '"', '"\\', '[[["\\"]]]', '{"a":}', '{"a" 1}', '[[[]}'])(
  'no JSON: %s',
  (text) => expect(() => read(text)).toThrow(SyntaxError),
)
