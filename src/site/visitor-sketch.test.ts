import { expect, test } from 'bun:test'
import { VisitorSketch } from './visitor-sketch.ts'

const hashOf = (n: number): number => Bun.hash.xxHash32(`visitor ${n}`)

function sketchOf(count: number, from = 0): VisitorSketch {
  const sketch = new VisitorSketch()
  for (let n = from; n < from + count; n++) sketch.add(hashOf(n))
  return sketch
}

/** Three standard errors, and what rounding adds. */
const errorMax = (count: number): number => count * 3 * (1.04 / Math.sqrt(2048)) + 0.5

for (const count of [0, 1, 2, 10, 32, 33, 100, 1000, 5000, 10_000, 100_000]) {
  test(`${count} visitors are estimated within three standard errors`, () => {
    expect(Math.abs(sketchOf(count).estimate() - count)).toBeLessThanOrEqual(errorMax(count))
  })
}

test('the error over many sets is the one that is known', () => {
  const errors = Array.from(
    { length: 200 },
    (_, n) => sketchOf(3000, n * 3000).estimate() / 3000 - 1,
  )
  const squares = errors.reduce((sum, error) => sum + error ** 2, 0)
  expect(Math.sqrt(squares / errors.length)).toBeLessThan(1.2 * (1.04 / Math.sqrt(2048)))
})

test('a visitor who comes again is the same', () => {
  const sketch = sketchOf(20)
  for (let n = 0; n < 20; n++) sketch.add(hashOf(n))
  expect(sketch.encode()).toBe(sketchOf(20).encode())
})

for (const [left, right] of [
  [3, 5],
  [30, 30],
  [2000, 10],
  [10, 2000],
] as const) {
  test(`${left} and ${right} others, merged, are as if all had come to one process`, () => {
    const merged = sketchOf(left)
    merged.merge(sketchOf(right, left))
    merged.merge(sketchOf(left))
    expect(merged.encode()).toBe(sketchOf(left + right).encode())
  })
}

for (const count of [0, 1, 40, 1100, 100_000]) {
  test(`${count} visitors take at most 2 kB, and are read as they were written`, () => {
    const text = sketchOf(count).encode()
    expect(Buffer.from(text, 'base64').length).toBeLessThanOrEqual(2048)
    expect(VisitorSketch.decode(text)?.encode()).toBe(text)
    expect(VisitorSketch.decode(text)?.estimate()).toBe(sketchOf(count).estimate())
  })
}

for (const text of ['AA==', 'HwA=', Buffer.alloc(2048, 23).toString('base64')]) {
  test(`${text.slice(0, 9)} is no sketch`, () => expect(VisitorSketch.decode(text)).toBeNull())
}
