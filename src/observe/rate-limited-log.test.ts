import { afterEach, beforeEach, expect, jest, test } from 'bun:test'
import { type LoggedLine, recordingLog } from '#tests/support/api.ts'
import { rateLimitedLog } from './rate-limited-log.ts'

let lines: LoggedLine[]
beforeEach(() => {
  jest.useFakeTimers()
  lines = []
})
afterEach(() => void jest.useRealTimers())

test('of each message one line a minute, then the latest and how many others were left out', () => {
  const log = rateLimitedLog(recordingLog(lines))
  for (let n = 0; n < 1000; n++) log.warn('not ready', { n })
  log.error('other', { n: 0 })
  jest.advanceTimersByTime(59_999)
  log.warn('not ready', { n: 1000 })
  expect(lines).toEqual([
    { level: 'warn', message: 'not ready', fields: { n: 0 } },
    { level: 'error', message: 'other', fields: { n: 0 } },
  ])
  lines.length = 0
  jest.advanceTimersByTime(1)
  log.warn('not ready', { n: 1001 })
  log.error('other', { n: 1 })
  expect(lines).toEqual([
    { level: 'warn', message: 'not ready', fields: { n: 1000, leftOut: 999 } },
    { level: 'error', message: 'other', fields: { n: 1 } },
  ])
  lines.length = 0
  jest.advanceTimersByTime(600_000)
  expect(lines).toEqual([{ level: 'warn', message: 'not ready', fields: { n: 1001 } }])
})
