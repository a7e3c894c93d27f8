import { expect, test } from 'bun:test'
import { type LoggedLine, recordingLog } from '#tests/support/api.ts'
import { rateLimitedLog } from './rate-limited-log.ts'

test('of each message one line a minute, then how many were left out', () => {
  const lines: LoggedLine[] = []
  let now = 0
  const log = rateLimitedLog(recordingLog(lines), { elapsed: () => now })
  for (let n = 0; n < 1000; n++) log.warn('not ready', { n })
  log.error('other', { n: 0 })
  now = 59_999
  log.warn('not ready', { n: 1000 })
  now = 60_000
  log.warn('not ready', { n: 1001 })
  log.warn('not ready', { n: 1002 })
  expect(lines).toEqual([
    { level: 'warn', message: 'not ready', fields: { n: 0 } },
    { level: 'error', message: 'other', fields: { n: 0 } },
    { level: 'warn', message: 'not ready', fields: { n: 1001, leftOut: 1000 } },
  ])
})
