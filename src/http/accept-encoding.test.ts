import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { anyText } from '#tests/support/hostile/any-text.ts'
import { cpuMs } from '#tests/support/processes/cpu-ms.ts'
import type { ContentCoding } from './accept-encoding.ts'
import { preferredCoding } from './accept-encoding.ts'

const both: ContentCoding[] = ['gzip', 'identity']
const all: ContentCoding[] = ['br', ...both]

const table: [string | null, ContentCoding][] = [
  [null, 'identity'],
  ['', 'identity'],
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['x-gzip', 'gzip'],
  ['gzip, deflate, br, zstd', 'gzip'],
  ['br', 'identity'],
  ['identity', 'identity'],
  ['*', 'gzip'],
  ['*;q=0.1', 'gzip'],
  ['gzip;q=0', 'identity'],
  ['gzip;q=0.0', 'identity'],
  ['gzip;q=0.001', 'gzip'],
  ['gzip;q=0.5, identity;q=0.5', 'gzip'],
  ['gzip;q=0.5, identity', 'identity'],
  ['gzip;q=0.5, *', 'identity'],
  ['gzip;q=1.0, identity;q=0.5, *;q=0', 'gzip'],
  ['br, *;q=0', 'identity'],
  ['identity;q=0', 'identity'],
  ['identity;q=0, *', 'gzip'],
  ['identity;q=0, gzip;q=0.1', 'gzip'],
  ['gzip ; q=0.5 ,\tidentity ; q=0.4', 'gzip'],
  ['gzip;Q=0.2, identity;q=0.1', 'gzip'],
  [', ,gzip,', 'gzip'],
  ['gzip;q=2', 'identity'],
  ['gzip;q=', 'identity'],
  ['gzip;q=1;q=0', 'identity'],
  ['gzip;level=9', 'identity'],
  ['gzip;q=0, gzip', 'identity'],
  ['gzipped', 'identity'],
]

test.each(table)('Accept-Encoding %j: %s', (header, coding) => {
  expect(preferredCoding(header, both)).toBe(coding)
})

test.each<[string | null, ContentCoding]>([
  [null, 'identity'],
  ['', 'identity'],
  ['gzip, deflate, br, zstd', 'br'],
  ['br', 'br'],
  ['BR', 'br'],
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['gzip, br;q=0.9', 'gzip'],
  ['gzip;q=0.9, br;q=0.9', 'br'],
  ['br;q=0', 'identity'],
  ['br;q=0, gzip', 'gzip'],
  ['br;q=0, gzip;q=0', 'identity'],
  ['*', 'br'],
  ['*;q=0', 'identity'],
  ['*;q=0, gzip', 'gzip'],
  ['*, br;q=0', 'gzip'],
  ['*;q=0.5, gzip', 'gzip'],
  ['*;q=0.5, identity', 'identity'],
  ['*, br;q=0, gzip;q=0', 'identity'],
  ['identity', 'identity'],
  ['identity, br;q=0.9', 'identity'],
  ['identity;q=0, *;q=0', 'identity'],
  ['deflate', 'identity'],
  ['brotli', 'identity'],
])('Accept-Encoding %j, where brotli is there too: %s', (header, coding) => {
  expect(preferredCoding(header, all)).toBe(coding)
})

test.each<[string | null, ContentCoding]>([
  [null, 'identity'],
  ['zstd', 'zstd'],
  ['ZSTD', 'zstd'],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip, zstd', 'zstd'],
  ['br;q=0.9, zstd', 'zstd'],
  ['br, zstd;q=0.9', 'br'],
  ['zstd;q=0.5, gzip', 'gzip'],
  ['zstd;q=0, gzip', 'gzip'],
  ['*, br;q=0', 'zstd'],
  ['x-zstd', 'identity'],
])('Accept-Encoding %j, where zstd is there too: %s', (header, coding) => {
  expect(preferredCoding(header, ['br', 'zstd', 'gzip', 'identity'])).toBe(coding)
})

test('a file that has one coding is sent in it, whatever is asked', () => {
  expect(preferredCoding('gzip', ['identity'])).toBe('identity')
  expect(preferredCoding('identity;q=0', ['gzip'])).toBe('identity')
})

test('any header has an answer', () => {
  fc.assert(
    fc.property(anyText(), (header) => {
      expect(all).toContain(preferredCoding(header, all))
    }),
  )
})

test('a very long header takes no longer than its length', () => {
  const spent = cpuMs(() => {
    preferredCoding(`gzip;${' '.repeat(100_000)}q=1`, both)
    preferredCoding(','.repeat(100_000), both)
    for (const unit of ['br;', 'q=', 'a,', '*']) preferredCoding(unit.repeat(100_000), all)
  })
  expect(spent).toBeLessThan(1000)
})
