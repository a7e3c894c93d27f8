import { expect, test } from 'bun:test'
import type { Status } from './read-status.ts'
import { durationText, statusLines } from './status-lines.ts'

const now = Date.UTC(2030, 0, 10)
const hourMs = 60 * 60 * 1000

const status: Status = {
  version: '1.2.3',
  service: 'running',
  startedAt: now - 50 * hourMs,
  hosting: null,
  accounts: 3,
  sites: 12,
  siteBytes: 5_000_000,
  databaseBytes: 900,
  disk: { free: 20e9, total: 100e9 },
  firehoseSeenAt: now - 4_000,
  queues: { sites: 1, versions: 0, accounts: 0, parked: 0 },
  jobs: 2,
  certificates24h: 1,
  certificates: null,
  instances: [],
  lastBackupAt: now - 7 * hourMs,
  bucketAnswers: null,
  http3Answers: null,
}

test('every fact has a line', () => {
  expect(statusLines(status, now)).toEqual([
    'service       running for 2 days',
    'version       1.2.3',
    'accounts      3',
    'sites         12, 5 MB in all',
    'database      900 B',
    'disk          20 GB of 100 GB free',
    'firehose      last event 4 seconds ago',
    'queue         1 site, 0 versions and 0 accounts waiting, 0 parked',
    'publishes     2 in progress',
    'certificates  1 new name in the last day',
    'backup        7 hours ago',
  ])
})

test.each([
  [true, 'answers'],
  [false, 'does not answer (sitehost doctor)'],
])('the bucket of the blobs has a line, and HTTP/3: %s', (isAnswering, seen) => {
  const answers = { bucketAnswers: isAnswering, http3Answers: isAnswering }
  const lines = statusLines({ ...status, ...answers }, now)
  expect(lines).toContain(`blob store    ${seen}`)
  expect(lines).toContain(`HTTP/3        ${seen}`)
})

test('each of several instances has a line', () => {
  const instance = {
    ...{ id: 'a', run: 'b', address: 'http://10.0.0.1:3002', roles: 'app,edge,ingest' },
    ...{ version: '1.2.3', startedAt: 1, seenAt: 2, seenAgoMs: 1_900, jobs: 2, deploys: 1 },
  }
  expect(statusLines({ ...status, instances: [instance] }, now)).toContain(
    'instance      http://10.0.0.1:3002 (app,edge,ingest), 1.2.3, seen 1 second ago: 2 in progress, 1 open deploy',
  )
})

test('the certificates of a service that shows them itself', () => {
  const states = { 'waiting-for-dns': 1, ordered: 0, refused: 2, valid: 40, expired: 0 }
  const problems = { elsewhere: 1, caa: 2 }
  const lineOf = (certificates: Status['certificates']) =>
    statusLines({ ...status, certificates }, now).find((line) => line.startsWith('certificates'))
  expect(
    lineOf({ states, problems, soonestExpiry: now + 30 * 24 * hourMs, filesProblem: null }),
  ).toBe(
    'certificates  1 waiting-for-dns, 2 refused, 40 valid (elsewhere 1, caa 2), the first expires in 30 days',
  )
  const none = { 'waiting-for-dns': 0, ordered: 0, refused: 0, valid: 0, expired: 0 }
  const nothing = { states: none, problems: {}, soonestExpiry: null, filesProblem: null }
  expect(lineOf(nothing)).toBe('certificates  none')
  const filesProblem = '/tls/chain.pem cannot be read (ENOENT)'
  expect(lineOf({ ...nothing, filesProblem })).toBe(
    `certificates  none; ${filesProblem}: not counted, and kept as they were`,
  )
})

test('what is missing, and what to do', () => {
  const parked = { ...status.queues, parked: 4 }
  const bad = { ...status, service: 'stopped', startedAt: null, queues: parked } as const
  const lines = statusLines({ ...bad, firehoseSeenAt: null, lastBackupAt: null }, now)
  expect(lines).toContain('service       does not answer')
  expect(lines).toContain('firehose      no event yet')
  expect(lines).toContain(
    'queue         1 site, 0 versions and 0 accounts waiting, 4 parked (sitehost unread)',
  )
  expect(lines).toContain('backup        none yet: sitehost backup <folder>')
  const [unready] = statusLines({ ...status, service: 'unready' }, now)
  expect(unready).toBe('service       running for 2 days, but not ready: see its log')
})

test('two processes have a line each', () => {
  const hosting = { service: 'stopped', startedAt: null } as const
  expect(statusLines({ ...status, hosting }, now).slice(0, 2)).toEqual([
    'application   running for 2 days',
    'hosting       does not answer',
  ])
})

test.each([
  [0, '0 seconds'],
  [59_999, '59 seconds'],
  [60_000, '1 minute'],
  [3_600_000, '1 hour'],
  [48 * hourMs - 1, '1 day'],
  [-5_000, '0 seconds'],
])('%d ms is %s', (ms, text) => {
  expect(durationText(ms)).toBe(text)
})
