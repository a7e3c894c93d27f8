import { expect, test } from 'bun:test'
import { renewalTime } from './renewal-time.ts'

const hourMs = 60 * 60_000
const dayMs = 24 * hourMs
const certificate = { id: 'a.b', validFrom: 0, validUntil: 90 * dayMs, changedAt: hourMs }
const at = (start: number, end: number, now = 0) => renewalTime({ start, end }, certificate, now)

test('somewhere in the window, each certificate at a place of its own', () => {
  const time = at(10 * dayMs, 20 * dayMs)
  expect(time).toBeWithin(10 * dayMs, 20 * dayMs)
  expect(at(10 * dayMs, 20 * dayMs, dayMs)).toBe(time)
  const other = { ...certificate, id: 'c.d' }
  expect(renewalTime({ start: 10 * dayMs, end: 20 * dayMs }, other, 0)).not.toBe(time)
  expect(at(10 * dayMs, 0)).toBe(10 * dayMs)
})

test('not after it is renewed anyway', () => {
  expect(at(60 * dayMs, 60 * dayMs)).toBe(60 * dayMs)
  expect(at(60 * dayMs + 1, 9_999 * dayMs)).toBe(60 * dayMs)
})

test('not within an hour of its issue, and not in the past', () => {
  expect(at(0, 1)).toBe(2 * hourMs)
  expect(at(0, 1, dayMs)).toBe(dayMs)
  expect(at(9_999 * dayMs, 9_999 * dayMs, 70 * dayMs)).toBe(70 * dayMs)
})
