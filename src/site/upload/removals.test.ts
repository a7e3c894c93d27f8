import { expect, test } from 'bun:test'
import { removesMost } from './removals.ts'

test('somebody is asked from the first file above half of the site', () => {
  expect(removesMost(0, 0)).toBe(false)
  expect(removesMost(1, 1)).toBe(true)
  expect(removesMost(2, 4)).toBe(false)
  expect(removesMost(3, 5)).toBe(true)
})
