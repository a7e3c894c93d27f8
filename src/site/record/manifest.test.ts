import { describe, expect, test } from 'bun:test'
import { decode, encode } from '@atcute/cbor'
import { fromString, toCidLink } from '@atcute/cid'
import fc from 'fast-check'
import type { PlaceSitehostFs } from '#lexicons/index.ts'
import { parseSiteName } from '#site/site-name.ts'
import {
  type Directory,
  type Entry,
  type Manifest,
  type ManifestResult,
  parseManifest,
} from './manifest.ts'

const link = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'
const blob = { $type: 'blob', ref: { $link: link }, mimeType: 'text/html', size: 5 } as const
const file = { $type: 'place.sitehost.fs#file', type: 'file', blob } as const
const subfs = {
  $type: 'place.sitehost.fs#subfs',
  type: 'subfs',
  subject: 'at://did:plc:ewvi7nxzyoun6zhxrhs64oiz/place.sitehost.subfs/part',
  flat: false,
} as const

/** Every field that there is. */
const full: Manifest = {
  $type: 'place.sitehost.fs',
  site: 'blog',
  root: directory(
    { name: 'a.html', node: { ...file, encoding: 'gzip', mimeType: 'text/html', base64: false } },
    { name: 'b', node: directory({ name: 'c', node: subfs }) },
  ),
  fileCount: 1,
  createdAt: '2026-01-02T03:04:05.678Z',
}

function directory(...entries: Entry[]): Directory {
  return { $type: 'place.sitehost.fs#directory', type: 'directory', entries }
}

/** A record whose only file is this node. */
function holding(node: object): object {
  return { ...full, root: { type: 'directory', entries: [{ name: 'a', node }] } }
}

function filled(count: number): object {
  const entries = Array.from({ length: count }, (_, i) => ({ name: `${i}`, node: file }))
  return { ...full, root: { type: 'directory', entries } }
}

/** A copy in which every field of this name has another value; `undefined` leaves it out. */
function rewrite(record: object, key: string, change: (value: unknown) => unknown): object {
  return JSON.parse(JSON.stringify(record), (name, value) => (name === key ? change(value) : value))
}

function parse(record: unknown): ManifestResult {
  const name = parseSiteName('blog')
  if (name === null) throw new Error('the fixtures are wrong')
  return parseManifest(record, name)
}

const accepted: [string, unknown][] = [
  ['every field', full],
  ['no count of files', { ...full, fileCount: undefined }],
  ['0 files counted', { ...full, fileCount: 0 }],
  ['1000 files counted', { ...full, fileCount: 1000 }],
  ['500 entries in a directory', filled(500)],
  ['a file without optional fields', holding(file)],
]

test.each(accepted)('a record with %s is read', (_, record) => {
  expect(parse(record)).toMatchObject({ ok: true })
})

const refused: [string, unknown][] = [
  ['null', null],
  ['a list', []],
  ['a string', 'x'],
  ['nothing', {}],
  ['another $type', { ...full, $type: 'place.sitehost.subfs' }],
  ['$type null', { ...full, $type: null }],
  ['no site', { ...full, site: undefined }],
  ['another site', { ...full, site: 'Blog' }],
  ['no time', { ...full, createdAt: undefined }],
  ['a time that is none', { ...full, createdAt: 'yesterday' }],
  ['no root', { ...full, root: undefined }],
  ['a root that is refused', holding({ type: 'symlink' })],
  ['1001 files counted', { ...full, fileCount: 1001 }],
  ['-1 files counted', { ...full, fileCount: -1 }],
  ['1.5 files counted', { ...full, fileCount: 1.5 }],
  ['"5" files counted', { ...full, fileCount: '5' }],
  ['501 entries in a directory', filled(501)],
  ['an unknown encoding', holding({ ...file, encoding: 'br' })],
  ['a media type that is no text', holding({ ...file, mimeType: 1 })],
  ['base64 that is no boolean', holding({ ...file, base64: 'yes' })],
  ['a part without a subject', holding({ ...subfs, subject: undefined })],
  ['a part at no at:// address', holding({ ...subfs, subject: 'https://example.com' })],
  ['a part that is flat by text', holding({ ...subfs, flat: 'true' })],
]

test.each(refused)('a record with %s is rejected', (_, record) => {
  const result = parse(record)
  expect(result.ok).toBe(false)
  expect(result.ok || result.problems.length).toBe(1)
})

describe('the result', () => {
  test('is what was written', () => {
    expect(parse(full)).toEqual({ ok: true, manifest: full })
  })

  test('is the same from JSON and from the CBOR of a repository', () => {
    const withCids = rewrite(full, 'ref', () => toCidLink(fromString(link)))
    expect(parse(JSON.parse(JSON.stringify(full)))).toEqual({ ok: true, manifest: full })
    expect(parse(decode(encode(withCids)))).toEqual({ ok: true, manifest: full })
  })

  test('has every $type, whether the record had it or not', () => {
    const bare = rewrite(full, '$type', (type) => (type === 'blob' ? type : undefined))
    expect(parse(bare)).toEqual({ ok: true, manifest: full })
  })

  test('marks a part as flat where the record does not say', () => {
    const bare = rewrite(full, 'flat', () => undefined)
    const flat = rewrite(full, 'flat', () => true)
    expect(parse(bare)).toEqual({ ok: true, manifest: flat as Manifest })
  })

  test('has no field that the lexicon lacks', () => {
    expect(parse({ ...full, theme: { deep: [1] } })).toEqual({ ok: true, manifest: full })
  })

  test('may be written: its type is one of the lexicon', () => {
    const written: PlaceSitehostFs.Main = structuredClone(full) as Mutable<Manifest>
    expect(written.site).toBe('blog')
  })
})

type Mutable<T> = { -readonly [K in keyof T]: Mutable<T[K]> }

test('any fields have an answer', () => {
  const fields = {
    $type: fc.anything(),
    site: fc.anything(),
    fileCount: fc.anything(),
    createdAt: fc.anything(),
  }
  fc.assert(
    fc.property(fc.record(fields, { requiredKeys: [] }), (some) => {
      expect([true, false]).toContain(parse({ ...full, ...some }).ok)
    }),
  )
})
