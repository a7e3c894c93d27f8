import { expect, test } from 'bun:test'
import { startOfUtcDay, utcDate, utcDayOf } from './utc-day.ts'

test('a day begins at midnight in UTC', () => {
  const midnight = Date.UTC(2024, 1, 29)
  const day = utcDayOf(midnight)
  expect(utcDayOf(midnight - 1)).toBe(day - 1)
  expect(startOfUtcDay(day)).toBe(midnight)
  expect(utcDate(day)).toBe('2024-02-29')
})
