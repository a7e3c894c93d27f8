import { beforeEach, describe, expect, test } from 'bun:test'
import type { LogEntry } from '#observe/log-entry.ts'
import { addAdmin, removeAdmin } from '#store/accounts/admins.ts'
import { countErrors } from '#store/log/error-entries.ts'
import { appendLogEntries } from '#store/log/log-entries.ts'
import { cookieHeader, testApi } from '#tests/support/api.ts'

const api = testApi()
const password = 'correct horse battery'
// Cheap to check: what a password costs is a rule of `hashPassword`.
const passwordHash = await Bun.password.hash(password, { algorithm: 'bcrypt', cost: 4 })
let cookie: string

beforeEach(async () => {
  await addAdmin(api().db, { id: 'id-of-ruth', name: 'ruth', passwordHash, createdAt: 1 })
  const body = JSON.stringify({ username: 'ruth', password })
  const response = await api().request('/api/admin/login', { method: 'POST', body })
  cookie = cookieHeader(response.headers.getSetCookie())
})

const entry = (message: string, change: Partial<LogEntry> = {}): LogEntry => ({
  ...{
    at: 1,
    level: 'info',
    service: 'main-app',
    message,
    event: null,
    traceId: null,
    context: {},
  },
  ...change,
})
const append = (...entries: LogEntry[]) => appendLogEntries(api().db, entries)
const ask = (path: string) => api().request(`/api/admin/${path}`, { headers: { cookie } })
const read = async (path: string) => await (await ask(path)).json()

describe('GET /api/admin/logs', () => {
  test('an entry has its fields', async () => {
    await append(
      entry('publish failed', {
        level: 'warn',
        event: 'publish_failed',
        traceId: 'a'.repeat(32),
        context: { site: 'blog' },
      }),
    )
    expect(await read('logs')).toEqual({
      logs: [
        {
          id: expect.any(String),
          timestamp: '1970-01-01T00:00:00.001Z',
          level: 'warn',
          message: 'publish failed',
          service: 'main-app',
          context: { site: 'blog' },
          traceId: 'a'.repeat(32),
          eventType: 'publish_failed',
        },
      ],
    })
  })

  test('a hundred at a time, unless asked otherwise, and the cursor continues', async () => {
    await append(...Array.from({ length: 130 }, (_, n) => entry(`line ${n}`)))
    const first = await read('logs?cursor=')
    expect(first.logs).toHaveLength(100)
    const rest = await read(`logs?search=line&cursor=${first.cursor}`)
    expect([rest.logs.length, rest.logs.at(-1).message, rest.cursor]).toEqual([30, 'line 0', null])
    expect((await read('logs?limit=7')).logs).toHaveLength(7)
  })

  test('filters and search', async () => {
    await append(
      entry('publish failed', { level: 'warn', event: 'publish_failed' }),
      entry('site failed', { level: 'error', service: 'hosting-service' }),
    )
    const facts: [query: string, messages: string[]][] = [
      ['search=failed', ['site failed', 'publish failed']],
      ['search=publ', ['publish failed']],
      ['level=error', ['site failed']],
      ['service=main-app', ['publish failed']],
      ['eventType=publish_failed', ['publish failed']],
      ['search=%22failed%22+AND+%28', []],
    ]
    for (const [query, messages] of facts) {
      const { logs } = await read(`logs?${query}`)
      expect([query, logs.map(({ message }: { message: string }) => message)]).toEqual([
        query,
        messages,
      ])
    }
  })

  const refused = [
    ...['level=fatal', 'service=edge', 'eventType=%27', 'limit=0', 'limit=201', 'limit=x'],
    ...['cursor=%27', `search=${'x'.repeat(501)}`],
    ...['cursor=a', 'cursor=1.5', 'cursor=1e400', `cursor=${'9'.repeat(16)}`],
  ]
  test.each(refused)('%s: 400', async (query) => {
    expect((await ask(`logs?${query}`)).status).toBe(400)
  })
})

describe('GET /api/admin/errors', () => {
  const failure = (at: number, message: string) =>
    entry(message, { at, level: 'error', traceId: `trace${at}`, context: { path: '/' } })

  test('each error once, with its count and last requests, page by page', async () => {
    await countErrors(api().db, [failure(1, 'one'), failure(2, 'two'), failure(3, 'one')])
    expect(await read('errors?service=main-app')).toEqual({
      errors: [
        {
          id: expect.any(String),
          timestamp: '1970-01-01T00:00:00.001Z',
          message: 'one',
          stack: null,
          service: 'main-app',
          context: { path: '/' },
          count: 2,
          lastSeen: '1970-01-01T00:00:00.003Z',
          traceIds: ['trace1', 'trace3'],
        },
        expect.objectContaining({ message: 'two', count: 1 }),
      ],
    })
    const { cursor } = await read('errors?limit=1&cursor=')
    const second = await read(`errors?limit=1&cursor=${cursor}`)
    expect(second.errors).toMatchObject([{ message: 'two' }])
    const third = await read(`errors?limit=1&cursor=${second.cursor}`)
    expect(third).toEqual({ errors: [], cursor: null })
    expect((await read('errors?service=hosting-service')).errors).toEqual([])
  })

  const hash = 'a'.repeat(32)
  const notOurs = ['1', `a.${hash}`, `1.5.${hash}`, `1e400.${hash}`, `${'9'.repeat(16)}.${hash}`]
  test.each(notOurs)('the cursor %s: 400', async (cursor) => {
    expect((await ask(`errors?cursor=${cursor}`)).status).toBe(400)
  })
})

describe('GET /api/admin/logs/stream', () => {
  async function follow(query = '') {
    const response = await ask(`logs/stream${query}`)
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    if (reader === undefined) throw new Error('no body')
    expect((await reader.read()).value).toBe(':\n\n')
    return reader
  }

  test('entries as they come, as far as the filter leaves them', async () => {
    await append(entry('before'))
    const reader = await follow('?search=publ&level=warn')
    await append(entry('publish ended'), entry('publish failed', { level: 'warn' }))
    const { value = '' } = await reader.read()
    expect(value).toStartWith('event: log\ndata: {')
    expect(JSON.parse(value.slice(value.indexOf('{')))).toMatchObject({ message: 'publish failed' })
    expect(value.match(/event: log/g)).toHaveLength(1)
    await reader.cancel()
  })

  test('ends with the session', async () => {
    const reader = await follow()
    await removeAdmin(api().db, 'ruth')
    expect((await reader.read()).done).toBe(true)
  })

  test('does not keep the session alive', async () => {
    const reader = await follow()
    api().now += 31 * 60_000
    expect((await reader.read()).done).toBe(true)
  })

  test('is for ten at a time', async () => {
    const readers = []
    for (let n = 0; n < 10; n++) readers.push(await follow())
    expect((await ask('logs/stream')).status).toBe(429)
    await readers[0]?.cancel()
    await (await follow()).cancel()
    for (const reader of readers) await reader.cancel()
    expect(
      (await api().request('/api/admin/logs/stream', { method: 'HEAD', headers: { cookie } }))
        .status,
    ).toBe(200)
  })
})

test('the log is not for people without a session of an administrator', async () => {
  for (const path of [
    'logs',
    'logs/stream',
    'errors',
    '',
    'nothing',
    'logs/x',
    'Logs',
    '%6cogs',
    '..%2f',
  ]) {
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const { status } = await api().app.request(`/api/admin/${path}`, { method })
      expect([method, path, status]).toEqual([method, path, 401])
    }
  }
})
