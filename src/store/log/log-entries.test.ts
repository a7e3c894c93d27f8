import { describe, expect, test } from 'bun:test'
import type { LogEntry } from '#observe/log-entry.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { countErrors, listErrorEntries } from './error-entries.ts'
import {
  appendLogEntries,
  lastLogEntryId,
  listLogEntries,
  listLogEntriesAfter,
} from './log-entries.ts'
import type { LogFilter } from './log-words.ts'
import { errorEntriesMax, pruneErrorEntries, pruneLogEntries } from './prune-log.ts'

const entry = (message: string, change: Partial<LogEntry> = {}): LogEntry => ({
  at: 1,
  level: 'info',
  service: 'main-app',
  message,
  event: null,
  traceId: null,
  context: {},
  ...change,
})

onEachStore('store/log', (db) => {
  const append = (...entries: LogEntry[]) => appendLogEntries(db(), entries)
  const found = async (filter: LogFilter, page: { before?: number; limit?: number } = {}) => {
    const rows = await listLogEntries(db(), filter, { limit: 100, ...page })
    return rows.map(({ message }) => message)
  }

  test('an entry is stored whole', async () => {
    const whole = entry('publish failed', {
      level: 'warn',
      service: 'hosting-service',
      event: 'publish_failed',
      traceId: 'a'.repeat(32),
      context: { did: 'did:plc:a', files: 3, isLast: true, text: 'a\0b' },
    })
    await append(whole)
    expect(await listLogEntries(db(), {}, { limit: 9 })).toEqual([
      { ...whole, id: expect.any(Number) },
    ])
    await append(entry('with \0'))
    expect(await found({ search: 'with' })).toEqual(['with \u{FFFD}'])
  })

  test('newest first, page by page, with and without a search', async () => {
    await append(...Array.from({ length: 45 }, (_, n) => entry(`line ${n}`)))
    for (const filter of [{}, { search: 'line' }, { level: 'info' }]) {
      const first = await listLogEntries(db(), filter, { limit: 30 })
      const before = first.at(-1)?.id ?? 0
      const rest = await listLogEntries(db(), filter, { limit: 30, before })
      const numbers = [...first, ...rest].map(({ message }) => Number(message.slice(5)))
      expect(numbers).toEqual(Array.from({ length: 45 }, (_, n) => 44 - n))
    }
  })

  test('all words and all filters have to match', async () => {
    await append(
      entry('publish failed', { level: 'warn', event: 'publish_failed' }),
      entry('publish ended', { event: 'publish_ended' }),
      entry('site failed', { level: 'error', service: 'hosting-service' }),
    )
    const facts: [LogFilter, string[]][] = [
      [{ search: 'failed' }, ['site failed', 'publish failed']],
      [{ search: 'publish failed' }, ['publish failed']],
      [{ search: 'publish', level: 'warn' }, ['publish failed']],
      [{ level: 'error' }, ['site failed']],
      [{ service: 'main-app' }, ['publish ended', 'publish failed']],
      [{ eventType: 'publish_ended' }, ['publish ended']],
      [{ eventType: 'publish_ended', level: 'warn' }, []],
      [{ search: 'nothing' }, []],
    ]
    for (const [filter, messages] of facts)
      expect([filter, await found(filter)]).toEqual([filter, messages])
  })

  describe('no search breaks the query', () => {
    const hostile = [
      '"',
      "'",
      '\\',
      'a"b',
      "a'b",
      'NOT',
      'a OR b',
      'a AND',
      'NEAR(a b)',
      '*',
      '^a',
      'words:a',
      '-a',
      '(',
      ')',
      'a & !b',
      'a:*',
      '<->',
      'a\0b',
      '\ud800',
      '\u{1F600}',
      '½',
      'ǅ',
      'İ',
      '%',
      '_',
      '; drop table log_entries',
      'x'.repeat(10_000),
      'x '.repeat(10_000),
      'א ב',
      'ａｂ',
      '\u0301',
      '🇩🇪',
      'ﬁ',
      'ꟊ',
    ]
    test.each(hostile)('%j', async (text) => {
      await append(entry('other'), entry(`has ${text}`))
      for (const message of await found({ search: text })) expect(message).toStartWith('has')
    })
  })

  test('the oldest are deleted beyond a number, and before a time', async () => {
    await append(...Array.from({ length: 1_100 }, (_, n) => entry(`line ${n}`, { at: n })))
    expect(await pruneLogEntries(db(), { before: 0, rowsMax: 1_100 })).toBe(0)
    expect(await pruneLogEntries(db(), { before: 0, rowsMax: 60 })).toBe(1_040)
    expect(await pruneLogEntries(db(), { before: 1_090, rowsMax: 60 })).toBe(50)
    expect(await found({ search: 'line' })).toHaveLength(10)
    expect((await found({})).at(-1)).toBe('line 1090')
    const last = await lastLogEntryId(db())
    expect(await pruneLogEntries(db(), { before: 2_000, rowsMax: 0 })).toBe(10)
    await append(entry('after'))
    expect(await lastLogEntryId(db())).toBe(last + 1)
  })

  test('a reader follows from an id on', async () => {
    await append(entry('one'))
    const seen = await lastLogEntryId(db())
    await append(entry('two'), entry('three'))
    const newer = await listLogEntriesAfter(db(), seen, 1)
    expect(newer.map(({ message }) => message)).toEqual(['two'])
  })

  const failure = (at: number, change: Partial<LogEntry> = {}, frame = 'at f (a.ts:1:2)') =>
    entry('unhandled error', {
      at,
      level: 'error',
      traceId: `trace-${at}`,
      context: { id: at, error: `TypeError: ${at}`, stack: `TypeError: ${at}\n    ${frame}` },
      ...change,
    })
  const errors = (query = {}) => listErrorEntries(db(), { limit: 99, ...query })

  test('an error is counted, with the last requests that had it', async () => {
    await countErrors(db(), [entry('no error'), failure(1), failure(2)])
    await countErrors(
      db(),
      [3, 4, 5, 6].map((at) => failure(at)),
    )
    expect(await errors()).toEqual([
      {
        fingerprint: expect.any(String),
        service: 'main-app',
        message: 'unhandled error: TypeError: 2',
        stack: 'TypeError: 6\n    at f (a.ts:1:2)',
        context: { id: 6, error: 'TypeError: 6' },
        count: 6,
        firstSeen: 1,
        lastSeen: 6,
        traceIds: [2, 3, 4, 5, 6].map((at) => `trace-${at}`),
      },
    ])
  })

  test('another line, service or place in the code is another error', async () => {
    await countErrors(db(), [
      failure(1),
      failure(2, {}, 'at g (a.ts:1:2)'),
      failure(3, { message: 'sign-out failed' }),
      failure(4, { service: 'hosting-service' }),
      failure(5, { context: {} }),
    ])
    expect((await errors()).map(({ lastSeen }) => lastSeen)).toEqual([5, 4, 3, 2, 1])
    expect((await errors({ service: 'hosting-service' })).map(({ lastSeen }) => lastSeen)).toEqual([
      4,
    ])
    const [, second] = await errors()
    expect((await errors({ after: second })).map(({ lastSeen }) => lastSeen)).toEqual([3, 2, 1])
  })

  test.each([
    ['typeerror', 2],
    ['did:plc:bb', 1],
    ['lib/disk.ts:7', 1],
    ['trace9', 1],
    ['_', 0],
  ])('errors are found by a part of them: %s', async (search, count) => {
    const context = { did: 'did:plc:bbb', stack: 'Error\n    at read (lib/disk.ts:7)' }
    await countErrors(db(), [
      failure(1),
      failure(2, { context: { error: 'TypeError: other' }, traceId: 'trace9' }),
      failure(3, { message: 'not written', context }),
    ])
    expect(await errors({ search })).toHaveLength(count)
  })

  test('the least recently seen errors are forgotten', async () => {
    const many = Array.from({ length: errorEntriesMax + 5 }, (_, n) =>
      failure(n, { message: `m${n}` }),
    )
    await countErrors(db(), many)
    await pruneErrorEntries(db(), { before: 0 })
    const left = await listErrorEntries(db(), { limit: 2_000 })
    expect([left.length, left.at(-1)?.lastSeen]).toEqual([errorEntriesMax, 5])
    await pruneErrorEntries(db(), { before: 1_000 })
    const recent = await listErrorEntries(db(), { limit: 2_000 })
    expect([recent.length, recent.at(-1)?.lastSeen]).toEqual([5, 1_000])
  })
})
