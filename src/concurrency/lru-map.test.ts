import { describe, expect, test } from 'bun:test'
import { LruMap, TtlMap } from './lru-map.ts'

const keys = (count: number) => Array.from({ length: count }, (_, n) => `key-${n}`)

function filled(count: number): LruMap<string, number> {
  const map = new LruMap<string, number>(10)
  for (const [n, key] of keys(count).entries()) map.set(key, n)
  return map
}

describe('of the least recently used', () => {
  test.each([5, 9, 10, 14, 15, 1000])('half as many as there may be stay: of %d', (count) => {
    const map = filled(count)
    for (const key of keys(count).slice(-5)) expect(map.get(key)).toBeDefined()
  })

  test.each(keys(50).map((_, count) => count))('there are never too many: of %d', (count) => {
    const map = filled(count)
    // From the oldest on: what is found is set anew, which evicts others.
    const found = keys(count).filter((key) => map.get(key) !== undefined)
    expect(found.length).toBeLessThanOrEqual(10)
  })

  test.each([
    ['set', (map: LruMap<string, number>) => map.set('used', 1)],
    ['asked for', (map: LruMap<string, number>) => map.get('used')],
  ])('what is %s again is as good as new', (_, use) => {
    const map = new LruMap<string, number>(10)
    map.set('used', 1)
    for (const key of keys(1000)) {
      use(map)
      map.set(key, 0)
    }
    expect(map.get('used')).toBe(1)
  })

  test.each([0, 6])('the last value counts, and deleted keys are gone: %d between', (between) => {
    const map = new LruMap<string, number>(10)
    map.set('a', 1)
    for (const key of keys(between)) map.set(key, 0)
    map.set('a', 2)
    expect(map.get('a')).toBe(2)
    map.delete('a')
    expect(map.get('a')).toBeUndefined()
  })

  test('nothing is left when all are cleared', () => {
    const map = filled(8)
    map.clear()
    expect(keys(8).filter((key) => map.get(key) !== undefined)).toEqual([])
  })
})

describe('what expires', () => {
  let time = 0
  const one = () => {
    time = 0
    const map = new TtlMap<string, string>({ max: 10, ttlMs: 100, now: () => time })
    map.set('a', 'A')
    return map
  }

  test.each([
    [99, 'A'],
    [100, undefined],
  ])('after %d ms it is %s, however often it was asked for', (ms, expected) => {
    const map = one()
    for (; time < ms; time++) map.get('a')
    expect(map.get('a')).toBe(expected)
  })

  test('lasts from when it was set last', () => {
    const map = one()
    time = 99
    map.set('a', 'B')
    time = 198
    expect(map.get('a')).toBe('B')
  })

  test('can be deleted, and goes for others', () => {
    const map = one()
    map.delete('a')
    expect(map.get('a')).toBeUndefined()
    map.set('a', 'A')
    for (const key of keys(20)) map.set(key, '')
    expect(map.get('a')).toBeUndefined()
  })
})
