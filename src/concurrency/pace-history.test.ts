import { expect, test } from 'bun:test'
import { type Pace, PaceHistory, serversOf } from './pace-history.ts'

const hour = 3_600_000

function open() {
  const clock = { now: 1_000_000 }
  const history = new PaceHistory({ elapsed: () => clock.now })
  const pace = (account: string, host: string | null = null): Pace =>
    history.paceOf({ account, host })
  const record = (account: string, host: string | null, ...paces: ('quick' | 'slow')[]): void => {
    for (const each of paces) history.record({ account, host }, { isSlow: each === 'slow' })
  }
  return { clock, history, pace, record }
}

test('an account is judged by its own attempts; one slow attempt counts until three were quick', () => {
  const { pace, record } = open()
  expect(pace('a')).toBe('unknown')
  record('a', null, 'quick')
  expect(pace('a')).toBe('quick')
  record('a', null, 'slow', 'quick', 'quick')
  expect(pace('a')).toBe('slow')
  record('a', null, 'quick')
  expect(pace('a')).toBe('quick')
})

test('an account without attempts is judged by its server, then by the server’s domain', () => {
  const { pace, record } = open()
  record('a', 'one.slow.example', 'slow')
  record('b', 'one.quick.example', 'quick')
  const cases: [string | null, Pace][] = [
    ['one.slow.example', 'slow'],
    ['two.slow.example', 'slow'],
    ['one.quick.example', 'quick'],
    ['two.quick.example', 'quick'],
    ['other.example', 'unknown'],
    [null, 'unknown'],
  ]
  for (const [host, expected] of cases) expect([host, pace('new', host)]).toEqual([host, expected])
  expect(pace('b', 'one.slow.example')).toBe('quick')
})

test('one account does not make its server slow for others, however often it tries', () => {
  const { pace, record } = open()
  record('a', 'pds.example', 'quick')
  for (let n = 0; n < 20; n++) record('slow', 'pds.example', 'slow')
  expect([pace('slow'), pace('new', 'pds.example')]).toEqual(['slow', 'quick'])
  for (const account of ['b', 'c']) record(account, 'pds.example', 'slow')
  expect(pace('new', 'pds.example')).toBe('slow')
  record('d', 'pds.example', 'quick')
  expect(pace('new', 'pds.example')).toBe('quick')
})

test('everything is forgotten after an hour', () => {
  const { clock, pace, record } = open()
  record('a', 'pds.example', 'slow')
  clock.now += hour - 1
  expect([pace('a'), pace('new', 'pds.example')]).toEqual(['slow', 'slow'])
  clock.now += 1
  expect([pace('a'), pace('new', 'pds.example')]).toEqual(['unknown', 'unknown'])
})

test('accounts come round robin, those without an attempt within an hour first', () => {
  const { clock, history, record } = open()
  record('long-ago', 'pds.example', 'quick')
  clock.now += hour
  record('early', 'pds.example', 'quick')
  clock.now += 1
  record('late', 'pds.example', 'quick')
  const party = (account: string, host = 'pds.example') => ({ account, host })
  const waiting = [
    ...[party('late'), party('early'), party('stranger', 'unknown.example'), party('new')],
    party('long-ago'),
  ]
  expect(history.inOrder(waiting).map(({ account }) => account)).toEqual([
    ...['new', 'long-ago', 'stranger', 'early', 'late'],
  ])
})

test.each([
  ['a.b.example.co.uk', ['a.b.example.co.uk', '*.example.co.uk']],
  ['pds.name.workers.dev', ['pds.name.workers.dev', '*.workers.dev']],
  ['127.0.0.1:8080', ['127.0.0.1:8080']],
  ['localhost:8080', ['localhost:8080']],
])('servers of %s', (host, servers) => {
  expect(serversOf(host)).toEqual(servers)
})
