import { expect, test } from 'bun:test'
import { NameCounts } from './name-counts.ts'

const always = () => true

/** With each of these names counted so often, in their order. */
function counted(max: number, names: Readonly<Record<string, number>>): NameCounts {
  const counts = new NameCounts(max)
  for (const [name, times] of Object.entries(names)) see(counts, name, times)
  return counts
}

function see(counts: NameCounts, name: string, times = 1): void {
  for (let n = 0; n < times; n++) counts.count(name, always)
}

const taken = (counts: NameCounts) =>
  Object.fromEntries(counts.take().map(({ value, count }) => [value, count]))

test.each([
  [{ a: 3, b: 2 }, { c: 3 }, { a: 3, b: 2, '': 3 }],
  [{ a: 3, b: 2 }, { c: 4 }, { a: 3, c: 1, '': 5 }],
  [{ a: 3, b: 2 }, { c: 9 }, { a: 3, c: 6, '': 5 }],
  [
    { a: 1, b: 1 },
    { c: 2, d: 2 },
    { c: 1, d: 1, '': 4 },
  ],
])('of two places, %j have them, then %j comes: %j', (first, then, expected) => {
  const counts = counted(2, first)
  for (const [name, times] of Object.entries(then)) see(counts, name, times)
  expect(taken(counts)).toEqual(expected)
})

test('what is saved counts in the comparison, too', () => {
  const counts = counted(1, { a: 3 })
  taken(counts)
  see(counts, 'b', 5)
  expect(taken(counts)).toEqual({ '': 5 })
  see(counts, 'b')
  expect(taken(counts)).toEqual({ b: 1 })
})

test('among names that are seen once, one that is seen often gets a place', () => {
  const counts = counted(50, Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`x${n}`, 2])))
  for (let n = 0; n < 400; n++) see(counts, n % 4 === 0 ? 'real' : `fake${n}`)
  expect(taken(counts)['real']).toBeGreaterThan(90)
})

test('each place changes hands as often as a count can double', () => {
  const counts = new NameCounts(10)
  const names = new Set<string>()
  let views = 0
  for (let n = 0; n < 2000; n++) {
    for (let times = 0; times < 50; times++, views++) see(counts, `name${n}`)
    for (const { value } of counts.take()) names.add(value)
  }
  expect(views).toBe(100_000)
  expect(names.size).toBeLessThanOrEqual(10 * (1 + Math.log2(views)) + 1)
})

test('without a place for the first name all are others', () => {
  const counts = new NameCounts(5)
  for (let n = 0; n < 9; n++) counts.count('a', () => false)
  expect(taken(counts)).toEqual({ '': 9 })
})

test('no view is lost or counted twice, whatever comes', () => {
  const counts = new NameCounts(3)
  let sum = 0
  for (let n = 0; n < 5000; n++) {
    see(counts, `${(n * n) % 17}`)
    if (n % 7 === 0) for (const { count } of counts.take()) sum += count
  }
  for (const { count } of counts.take()) sum += count
  expect(sum).toBe(5000)
})

test('what could not be saved is taken again, of a name that has lost its place among the others', () => {
  const counts = counted(1, { a: 1 })
  const lost = counts.take()
  see(counts, 'b', 2)
  for (const row of lost) counts.putBack(row)
  expect(taken(counts)).toEqual({ b: 1, '': 2 })
  counts.forget()
  counts.putBack({ value: 'c', count: 4 })
  expect(taken(counts)).toEqual({ c: 4 })
})
