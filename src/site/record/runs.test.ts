import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { runsOf } from './runs.ts'

const named = (names: readonly string[]) => names.map((name) => ({ name }))
const atMost = (max: number) => (run: readonly unknown[]) => run.length <= max
const numbered = (count: number) => named(Array.from({ length: count }, (_, i) => `${i}`))

/** Names that begin a run. */
const starts = (names: readonly string[]) =>
  new Set(runsOf(named(names), atMost(64)).map(([first]) => first?.name))

test('a list that fits is one run, an empty one none', () => {
  expect(runsOf(numbered(64), atMost(64))).toEqual([numbered(64)])
  expect(runsOf([], atMost(64))).toEqual([])
})

test('runs fit, and together they are the list', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string(), { maxLength: 500 }),
      fc.integer({ min: 1, max: 80 }),
      (names, max) => {
        const runs = runsOf(named(names), atMost(max))
        expect(runs.flat()).toEqual(named(names))
        for (const run of runs) expect(run.length).toBeLessThanOrEqual(max)
      },
    ),
  )
})

test('a single entry is a run even if it does not fit', () => {
  expect(runsOf(numbered(3), () => false)).toHaveLength(3)
})

test('runs of a long list have 20 to 40 entries on average', () => {
  const count = runsOf(numbered(10_000), atMost(64)).length
  expect(count).toBeGreaterThan(250)
  expect(count).toBeLessThan(500)
})

test('an added name moves no cut that is far from it', () => {
  const names = Array.from({ length: 600 }, (_, i) => `${i}`.padStart(4, '0'))
  const before = starts(names)
  fc.assert(
    fc.property(fc.nat(599), fc.string(), (at, word) => {
      const after = starts(names.toSpliced(at, 0, `${at}-${word}`))
      const moved = [...before, ...after].filter((name) => !(before.has(name) && after.has(name)))
      for (const name of moved) {
        const where = name === undefined ? -1 : names.indexOf(name)
        if (where !== -1) expect(Math.abs(where - at)).toBeLessThanOrEqual(128)
      }
    }),
    { seed: 1 },
  )
})
