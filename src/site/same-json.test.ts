import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { isSameJson } from './same-json.ts'

describe('the same JSON', () => {
  test.each<[string, unknown, unknown]>([
    ['nothing', null, null],
    ['fields in another order', { a: 1, b: [2] }, { b: [2], a: 1 }],
    ['a field that is undefined', { a: 1, b: undefined }, { a: 1 }],
    ['objects of another prototype', Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
  ])('%s', (_, a, b) => {
    expect(isSameJson(a, b)).toBe(true)
    expect(isSameJson(b, a)).toBe(true)
  })
})

describe('other JSON', () => {
  test.each<[string, unknown, unknown]>([
    ['null and an object', null, {}],
    ['a list and an object', [], {}],
    ['another value', { a: { b: 1 } }, { a: { b: 2 } }],
    ['one more field', { a: 1 }, { a: 1, b: null }],
    ['another field in its place', { a: 1 }, { b: 1 }],
    ['a shorter list', [1, 2], [1]],
    ['another order of a list', [1, 2], [2, 1]],
    ['a field of the prototype', { toString: 1 }, {}],
  ])('%s', (_, a, b) => {
    expect(isSameJson(a, b)).toBe(false)
    expect(isSameJson(b, a)).toBe(false)
  })
})

test('as their texts with sorted fields are', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 2 }), fc.jsonValue({ maxDepth: 2 }), (a, b) => {
      expect(isSameJson(a, structuredClone(a))).toBe(true)
      expect(isSameJson(a, b)).toBe(sorted(a) === sorted(b))
    }),
  )
})

const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, part) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
