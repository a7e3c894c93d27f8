import { describe, expect, test } from 'bun:test'
import { recordEvent } from './events.ts'
import { presentable } from './log.ts'
import type { LogEntry } from './log-entry.ts'
import { logOfService } from './log-of-service.ts'
import { rateLimitedLog } from './rate-limited-log.ts'
import { startLog } from './start-log.ts'
import { Tally } from './tally.ts'
import { inTrace, newTrace } from './trace.ts'

const settings = { level: 'info', format: 'json', service: 'main-app' } as const

test('one line of JSON an entry, whatever the fields hold', async () => {
  const lines: string[] = []
  await using log = await startLog({ write: (line) => lines.push(line), ...settings })
  log.debug('not at this level')
  log.warn('upload failed', { path: 'a\r\nb', attempts: 2 })
  expect(lines).toHaveLength(1)
  expect(lines[0]?.trimEnd()).not.toContain('\n')
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 'WARN',
    message: 'upload failed',
    properties: { path: 'a\r\nb', attempts: 2 },
  })
})

test('an entry has the request, the event and the part of the service that it comes from', async () => {
  const [entries, lines, counted]: [LogEntry[], string[], string[]] = [[], [], []]
  await using log = await startLog({
    ...settings,
    write: (line) => lines.push(line),
    onEntry: (entry) => entries.push(entry),
    onEvent: (event) => counted.push(event),
  })
  const trace = newTrace()
  inTrace(trace, () => recordEvent(log, 'publish_failed', { did: 'did:plc:a', reason: 'no' }))
  logOfService(log, 'hosting-service').info('listening', { left: undefined })
  log.unstored.warn('only a line')
  expect(entries).toEqual([
    {
      at: expect.any(Number),
      level: 'warn',
      service: 'main-app',
      message: 'publish failed',
      event: 'publish_failed',
      traceId: trace.id,
      context: { did: 'did:plc:a', reason: 'no' },
    },
    {
      at: expect.any(Number),
      level: 'info',
      service: 'hosting-service',
      message: 'listening',
      event: null,
      traceId: null,
      context: {},
    },
  ])
  expect(lines).toHaveLength(3)
  expect(counted).toEqual(['publish_failed'])
})

test('what is worth an administrator’s look is kept, also where a higher level is written', async () => {
  const [lines, kept]: [string[], string[]] = [[], []]
  await using log = await startLog({
    write: (line) => lines.push(line),
    onEntry: ({ message }) => kept.push(message),
    ...settings,
    level: 'warning',
  })
  for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level](`at ${level}`)
  log.unstored.warn('not of the database')
  expect(lines.map((line) => JSON.parse(line).message)).toEqual([
    'at warn',
    'at error',
    'not of the database',
  ])
  expect(kept).toEqual(['at info', 'at warn', 'at error'])
})

test('an event is counted where its line is left out', async () => {
  const counts = new Tally<string>()
  const lines: string[] = []
  await using log = await startLog({
    ...settings,
    level: 'error',
    write: (line) => lines.push(line),
    onEvent: (event) => counts.add(event),
  })
  const limited = rateLimitedLog(log)
  for (let n = 0; n < 3; n++) recordEvent(limited, 'certificate_refused', { host: `${n}.test` })
  expect([lines, counts.counts]).toEqual([[], { certificate_refused: 3 }])
})

test('secrets are not written, long values are cut', () => {
  expect(
    presentable({
      accessToken: 'abc',
      Cookie: 'did=1',
      query: '?code=1',
      long: 'x'.repeat(600),
    }),
  ).toEqual({
    accessToken: '[redacted]',
    Cookie: '[redacted]',
    query: '[redacted]',
    long: `${'x'.repeat(511)}…`,
  })
})

class ServerAwayError extends Error {
  override readonly name = 'ServerAwayError'
}

describe('errors', () => {
  const offline = new TypeError('offline')
  const foreseen = new ServerAwayError('refresh failed', { cause: offline })
  const text = 'ServerAwayError: refresh failed <- TypeError: offline'

  test('causes are in the text; a foreseen one has no stack', () => {
    expect(presentable({ error: foreseen })).toEqual({ error: text })
  })

  test('one that nobody foresaw has its stack and those of its causes', () => {
    const { error, stack } = presentable({ error: new Error('outer', { cause: offline }) })
    expect(error).toBe('Error: outer <- TypeError: offline')
    expect(stack).toMatch(
      /^Error: outer\n +at [\s\S]*log\.test\.ts[\s\S]*\ncaused by TypeError: offline\n +at /,
    )
  })

  test('what is logged as an error has its stack, foreseen or not', async () => {
    const lines: string[] = []
    await using log = await startLog({ write: (line) => lines.push(line), ...settings })
    log.warn('warned', { error: foreseen })
    log.error('failed', { error: foreseen })
    const [warned, failed] = lines.map((line) => JSON.parse(line).properties)
    expect(warned).toEqual({ error: text })
    expect(failed.stack).toContain('log.test.ts')
    expect(lines[1]?.trimEnd()).not.toContain('\n')
  })

  test('eight of a chain, in 2 KiB and 16 KiB', () => {
    let deep = new Error('0')
    for (let i = 1; i < 20; i++) deep = new Error(String(i), { cause: deep })
    expect(String(presentable({ error: deep })['error']).split(' <- ')).toHaveLength(8)
    const { error, stack } = presentable({ error: new Error('x'.repeat(20_000)) })
    expect([String(error).length, String(stack).length]).toEqual([2 * 1024, 16 * 1024])
  })

  test('a cause of itself, and those of several addresses', () => {
    const circle: Error = new Error('circle')
    circle.cause = circle
    expect(presentable({ error: circle })).toMatchObject({ error: 'Error: circle' })
    const both = new AggregateError([new Error('v6'), new Error('v4')], 'no address answers')
    expect(presentable({ error: both })).toMatchObject({
      error: 'AggregateError: no address answers <- Error: v6 <- Error: v4',
    })
  })
})

describe('what looks like a secret is not written, wherever it is', () => {
  const facts: [text: string, written: string][] = [
    ['authorization was DPoP eyJhbGciOi.eyJzdWIi.c2ln', 'authorization was DPoP [redacted]'],
    ['token eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln is old', 'token [redacted] is old'],
    ['postgres://me:hunter2@db/x is away', 'postgres://me:[redacted]@db/x is away'],
    [
      'GET /callback?code=abc&state=def&iss=https://a.test',
      'GET /callback?code=[redacted]&state=[redacted]&iss=https://a.test',
    ],
    ['GET /invitation/abc-def?x', 'GET /invitation/[redacted]?x'],
    ['a code of 5 letters, state: new', 'a code of 5 letters, state: new'],
  ]
  test.each(facts)('%s', (text, written) => {
    expect(presentable({ text })['text']).toBe(written)
    expect(presentable({ error: new Error(text) })).toMatchObject({
      error: `Error: ${written}`,
      stack: expect.stringMatching(written.includes('[redacted]') ? /\[redacted\]/ : /letters/),
    })
  })

  test.each([500, 2_000, 16_300])(
    'nor is the half of one that a cut leaves, after %i characters',
    (chars) => {
      const text = `${'x'.repeat(chars)} postgres://me:hunter2${'2'.repeat(100)}@db/x`
      const written = JSON.stringify(presentable({ text, error: new Error(text) }))
      expect(written).not.toContain('hunter')
    },
  )

  test('nor where many are left out before it', () => {
    const text = `Bearer ${'a'.repeat(2_020)} postgres://me:hunter2@db/x`
    expect(presentable({ text })['text']).toBe('Bearer [redacted] postgres://me:[redacted]@db/x')
  })
})
