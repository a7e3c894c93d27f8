import { describe, expect, test } from 'bun:test'
import { decode, encode } from '@atcute/cbor'
import fc from 'fast-check'
import { parseVersionRecord } from './version-record.ts'

const cid = 'bafyreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'
const required = {
  $type: 'place.sitehost.version',
  site: 'blog',
  root: {
    $type: 'place.sitehost.fs#directory',
    type: 'directory',
    entries: [
      {
        name: 'part',
        node: {
          $type: 'place.sitehost.fs#subfs',
          type: 'subfs',
          subject: 'at://did:plc:ewvi7nxzyoun6zhxrhs64oiz/place.sitehost.subfs/part',
          flat: true,
        },
      },
    ],
  },
  createdAt: '2026-01-02T03:04:05.678Z',
}
const optional = {
  fileCount: 12_000,
  bytes: 5_000_000_000,
  manifest: cid,
  settings: { $type: 'place.sitehost.settings', cleanUrls: true, history: { keep: 3 } },
  message: 'Summer sale',
  source: {
    repository: 'https://example.com/blog.git',
    commit: 'abc',
    ref: 'main',
    url: 'https://example.com/runs/1',
  },
  alias: 'pr-12',
  pinned: true,
  expiresAt: '2026-02-02T03:04:05.678Z',
}
const full = { ...required, ...optional }

const parse = (record: unknown): unknown => {
  const result = parseVersionRecord(record)
  return result.ok ? result.version : result.problems
}

test('a record is read as it was written, from JSON and from CBOR', () => {
  expect(parse(full)).toEqual(full)
  expect(parse(decode(encode(full)))).toEqual(full)
  expect(parse(required)).toEqual(required)
})

test('unknown fields are dropped', () => {
  expect(parse({ ...full, note: 1, source: { ...optional.source, runner: 'x' } })).toEqual(full)
})

describe('an optional field that does not fit is dropped', () => {
  test.each([
    ['fileCount', -1],
    ['bytes', 1.5],
    ['manifest', 'no CID'],
    ['settings', { spaMode: 'a.html', directoryListing: true }],
    ['settings', 'none'],
    ['message', 'é'.repeat(301)],
    ['message', 'a\0b'],
    ['message', 1],
    ['source', 'github'],
    ['source', {}],
    ['alias', 'Not-An-Alias'],
    ['alias', 'v'],
    ['alias', 'a'.repeat(36)],
    ['pinned', 'yes'],
    ['expiresAt', 'tomorrow'],
  ])('%s: %p', (name, value) => {
    const { [name]: _, ...rest } = full as Record<string, unknown>
    expect(parse({ ...full, [name]: value })).toEqual(rest)
  })

  test('and of a source only the field', () => {
    const source = { ...optional.source, commit: 'c'.repeat(101), url: 'javascript:alert(1)' }
    const { repository, ref } = optional.source
    expect(parse({ ...full, source })).toEqual({ ...full, source: { repository, ref } })
  })

  test('but not one at its limit', () => {
    const limits = { message: 'é'.repeat(300), alias: 'a'.repeat(35) }
    expect(parse({ ...full, ...limits })).toEqual({ ...full, ...limits })
  })
})

describe('refuses a record', () => {
  test.each([
    ['without a site', { site: undefined }],
    ['with a site that is no record key', { site: 'a/b' }],
    ['without a root', { root: undefined }],
    ['with a file as root', { root: { type: 'file' } }],
    ['without a time', { createdAt: undefined }],
    ['with a time that is none', { createdAt: 'yesterday' }],
  ])('%s', (_, change) => {
    expect(parseVersionRecord({ ...full, ...change })).toMatchObject({ ok: false })
  })
})

test('never throws', () => {
  fc.assert(
    fc.property(fc.anything(), fc.constantFrom(...Object.keys(full)), (value, name) => {
      parseVersionRecord(value)
      parseVersionRecord({ ...full, [name]: value })
    }),
  )
})
