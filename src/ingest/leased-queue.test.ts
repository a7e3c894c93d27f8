import { expect, test } from 'bun:test'
import { type LoggedLine, recordingLog } from '#tests/support/api.ts'
import { alice } from '#tests/support/sample-rows.ts'
import { workOn } from './leased-queue.ts'

const facts: [what: string, isNewest: boolean, level: string][] = [
  ['what failed', true, 'warn'],
  ['what was replaced while it was read, and failed,', false, 'debug'],
]
test.each(facts)('%s is logged: newest %p, %s', async (_, isNewest, level) => {
  const lines: LoggedLine[] = []
  const error = new Error('gone')
  const isDone = await workOn(
    { did: alice, attempts: 1 },
    {
      topic: 'ingest',
      failure: 'ingest failed',
      nameOf: ({ did }) => ({ did }),
      renew: async () => undefined,
      finish: async () => undefined,
      retry: async () => isNewest,
    },
    () => Promise.reject(error),
    { log: recordingLog(lines), now: () => 0, signal: new AbortController().signal },
  )
  expect(isDone).toBe(false)
  const fields = { did: alice, attempts: 1, isLast: false, error }
  expect(lines).toEqual([{ level, message: 'ingest failed', fields }])
})
