import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { anyText } from '#tests/support/hostile/any-text.ts'
import { cpuMs } from '#tests/support/processes/cpu-ms.ts'
import { checkConditions } from './conditions.ts'

const before = 'Tue, 01 Jan 2030 00:00:00 GMT'
const same = 'Tue, 01 Jan 2030 00:00:01 GMT'
const after = 'Tue, 01 Jan 2030 00:00:02 GMT'
const validators = { etag: '"a"', lastModified: Date.parse(same) + 999 }

const check = (headers: Record<string, string>) =>
  checkConditions((name) => headers[name] ?? null, validators)

test('without a condition the request goes on', () => {
  expect(check({})).toBe('proceed')
})

describe('If-None-Match: a list, compared weakly, or *', () => {
  test.each<[string, 304 | 'proceed']>([
    ['"a"', 304],
    ['W/"a"', 304],
    ['*', 304],
    [' * ', 304],
    ['"b", "a"', 304],
    ['"b",W/"a"', 304],
    ['"b" , ,"a"', 304],
    ['', 'proceed'],
    ['"b"', 'proceed'],
    ['a', 'proceed'],
    ['"A"', 'proceed'],
    ['w/"a"', 'proceed'],
    ['W/W/"a"', 'proceed'],
    ['"b", *', 'proceed'],
    ['"a', 'proceed'],
    [','.repeat(16_000), 'proceed'],
  ])('%s: %p', (header, answer) => {
    expect(check({ 'if-none-match': header })).toBe(answer)
  })
})

describe('If-Match: a list, compared strongly, or *', () => {
  test.each<[string, 412 | 'proceed']>([
    ['"a"', 'proceed'],
    ['*', 'proceed'],
    ['"b", "a"', 'proceed'],
    ['W/"a"', 412],
    ['"b"', 412],
    ['"b", *', 412],
    ['a', 412],
    ['', 412],
  ])('%s: %p', (header, answer) => {
    expect(check({ 'if-match': header })).toBe(answer)
  })
})

test.each<[string, 304 | 'proceed']>([
  [before, 'proceed'],
  [same, 304],
  [after, 304],
  [` ${same} `, 304],
  ['Tuesday, 01-Jan-30 00:00:01 GMT', 304],
  ['Tue Jan  1 00:00:01 2030', 304],
  ['yesterday', 'proceed'],
  ['', 'proceed'],
  [`${same}, ${same}`, 'proceed'],
])('If-Modified-Since: %s: %p', (date, answer) => {
  expect(check({ 'if-modified-since': date })).toBe(answer)
})

test.each<[string, 412 | 'proceed']>([
  [before, 412],
  [same, 'proceed'],
  [after, 'proceed'],
  ['yesterday', 'proceed'],
  ['', 'proceed'],
])('If-Unmodified-Since: %s: %p', (date, answer) => {
  expect(check({ 'if-unmodified-since': date })).toBe(answer)
})

describe('of several, what counts', () => {
  test.each<[Record<string, string>, 304 | 412 | 'proceed']>([
    [{ 'if-none-match': '"b"', 'if-modified-since': after }, 'proceed'],
    [{ 'if-none-match': '"a"', 'if-modified-since': before }, 304],
    [{ 'if-match': '"a"', 'if-unmodified-since': before }, 'proceed'],
    [{ 'if-match': '"b"', 'if-unmodified-since': after }, 412],
    [{ 'if-match': '"b"', 'if-none-match': '"a"' }, 412],
    [{ 'if-match': '"a"', 'if-none-match': '"a"' }, 304],
    [{ 'if-unmodified-since': before, 'if-none-match': '"a"' }, 412],
    [{ 'if-unmodified-since': same, 'if-modified-since': same }, 304],
  ])('%j: %p', (headers, answer) => {
    expect(check(headers)).toBe(answer)
  })
})

test('any headers have an answer, and soon', () => {
  const text = fc.option(anyText(), { nil: undefined })
  const names = ['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since']
  const headers = fc.record(Object.fromEntries(names.map((name) => [name, text])))
  fc.assert(
    fc.property(headers, (headers) => {
      const answer = checkConditions((name) => headers[name] ?? null, validators)
      expect(['proceed', 304, 412]).toContain(answer)
    }),
  )
  const spent = cpuMs(() => {
    for (const unit of ['W/', '"', ' ', ',', 'Tue, ']) {
      for (const name of names) check({ [name]: unit.repeat(100_000) })
    }
  })
  expect(spent).toBeLessThan(1000)
})
