import { expect, test } from 'bun:test'
import { FirehoseStatus } from './firehose-status.ts'

const start = 1_000_000

test('the lag is the longest of the last minute, and 0 on an idle network', () => {
  const status = new FirehoseStatus()
  expect(status.lagMs(start)).toBe(0)
  status.arrived(start)
  status.queued(start + 300, null)
  status.arrived(start + 1000)
  status.queued(start + 1200, null)
  expect(status.lagMs(start + 1300)).toBe(300)
  expect(status.lagMs(start + 59_999)).toBe(300)
  expect(status.lagMs(start + 60_000)).toBe(200)
  expect(status.lagMs(start + 61_000)).toBe(0)
})

test('what waits counts before it is queued, from its oldest event on', () => {
  const status = new FirehoseStatus()
  status.arrived(start)
  status.arrived(start + 900)
  expect(status.lagMs(start + 5000)).toBe(5000)
  status.queued(start + 5000, start + 900)
  expect(status.lagMs(start + 7000)).toBe(6100)
  status.queued(start + 7000, null)
  expect(status.lagMs(start + 70_000)).toBe(0)
})

test('what was read and left is not waited for', () => {
  const status = new FirehoseStatus()
  status.arrived(start)
  status.left()
  expect(status.lagMs(start + 5000)).toBe(0)
})

test('a source whose clock is ahead has no lag, and one without times neither', () => {
  const status = new FirehoseStatus()
  for (const madeAt of [start + 5000, null]) {
    status.arrived(madeAt)
    status.queued(start, null)
    expect(status.lagMs(start)).toBe(0)
  }
})
