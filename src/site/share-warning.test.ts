import { expect, test } from 'bun:test'
import { shareWarning } from './share-warning.ts'

for (const [used, max, warning] of [
  [0, 100, null],
  [49, 100, null],
  [50, 100, 50],
  [74, 100, 50],
  [75, 100, 75],
  [99, 100, 75],
  [100, 100, 100],
  [300, 100, 100],
  [300, null, null],
] as const) {
  test(`${used} of ${max}: ${warning}`, () => expect(shareWarning([{ used, max }])).toBe(warning))
}

test('of several limits the nearest counts', () => {
  const site = { used: 60, max: 100 }
  expect(shareWarning([site, { used: 80, max: 100 }])).toBe(75)
  expect(shareWarning([site, { used: 8, max: 100 }])).toBe(50)
  expect(shareWarning([])).toBeNull()
})
