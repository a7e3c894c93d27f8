import { beforeEach, expect, test } from 'bun:test'
import { type LoggedLine, recordingLog } from '#tests/support/api.ts'
import { CertificateLog } from './certificate-log.ts'

const dayMs = 24 * 60 * 60 * 1000
const lines: LoggedLine[] = []
const counted: string[] = []
let now = 0
let log: CertificateLog
beforeEach(() => {
  lines.splice(0)
  counted.splice(0)
  now = 0
  const counting = { ...recordingLog(lines), count: (event: string) => void counted.push(event) }
  log = new CertificateLog({ log: counting, now: () => now })
})

const hosts = () => lines.map(({ fields }) => (fields as { host: string }).host)

test('a burst of new names leaves a line for each', () => {
  const names = Array.from({ length: 500 }, (_, n) => `n${n}.example`)
  for (const name of names) log.permitted(name)
  expect(hosts()).toEqual(names)
  expect(lines[0]?.message).toBe('certificate permitted')
})

test('a name has one line a day, and each time is counted', () => {
  for (now of [0, 1, dayMs - 1]) log.permitted('a.example')
  expect([hosts(), counted.length]).toEqual([['a.example'], 3])
  now = dayMs
  log.permitted('a.example')
  expect([hosts(), counted.length]).toEqual([['a.example', 'a.example'], 4])
})

test('refused names, which clients make up, share one line a minute', () => {
  for (let n = 0; n < 500; n++) log.refused(`n${n}.example`)
  expect(lines.map(({ message }) => message)).toEqual(['certificate refused'])
  expect(counted).toEqual(Array(500).fill('certificate_refused'))
})
