import { expect, test } from 'bun:test'
import { durationText, timeText } from './time-text.ts'

const now = new Date(2026, 10, 22, 15, 0, 0)

test('a moment has as much of a date as it needs', () => {
  expect(timeText(new Date(2026, 10, 22, 4, 3, 7), now)).toBe('04:03:07')
  expect(timeText(new Date(2026, 10, 3, 14, 3, 7), now)).toBe('Nov 3, 14:03:07')
  expect(timeText(new Date(2025, 10, 22, 14, 3, 7), now)).toBe('Nov 22, 2025, 14:03:07')
})

test('a duration is in its largest unit', () => {
  expect([0, 59, 60, 7200, 86_400].map(durationText)).toEqual([
    '0 seconds',
    '59 seconds',
    '1 minute',
    '2 hours',
    '1 day',
  ])
})
