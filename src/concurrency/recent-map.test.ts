import { expect, test } from 'bun:test'
import { RecentMap } from './recent-map.ts'

const keys = (count: number) => Array.from({ length: count }, (_, n) => `key-${n}`)

function filled(map: RecentMap<number>, count: number): RecentMap<number> {
  for (const [n, key] of keys(count).entries()) map.set(key, n)
  return map
}

const known = (map: RecentMap<number>, count: number) =>
  keys(count).filter((key) => map.get(key) !== undefined)

test('half as many as it may hold are remembered for certain, the last ones', () => {
  for (const count of [5, 9, 10, 14, 15, 1000]) {
    const map = filled(new RecentMap(10), count)
    expect(known(map, count)).toEqual(expect.arrayContaining(keys(count).slice(-5)))
  }
})

test('no more than it may hold are remembered', () => {
  for (let count = 0; count < 50; count++) {
    expect(known(filled(new RecentMap(10), count), count).length).toBeLessThanOrEqual(10)
  }
})

test('what is set again is as good as new', () => {
  const map = new RecentMap<number>(10)
  for (const key of keys(1000)) {
    map.set('kept', 1)
    map.set(key, 0)
  }
  expect(map.get('kept')).toBe(1)
})

test('the last value counts, and what is deleted is gone', () => {
  for (const between of [0, 6]) {
    const map = new RecentMap<number>(10)
    map.set('a', 1)
    filled(map, between)
    map.set('a', 2)
    expect(map.get('a')).toBe(2)
    map.delete('a')
    expect(map.get('a')).toBeUndefined()
  }
})
