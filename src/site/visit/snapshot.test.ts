import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { snapshotBytesMax } from '#site/limits.ts'
import { isEntryName } from '#site/path.ts'
import type { SiteSettings } from '#site/record/settings.ts'
import { parseDid } from '#site/site-address.ts'
import { parseSiteName } from '#site/site-name.ts'
import {
  decodeFiles,
  decodeSnapshot,
  decodeSnapshotSteps,
  encodeSnapshot,
  type Snapshot,
  SnapshotFormatError,
  snapshotSizeProblem,
} from './snapshot.ts'

const alice = parseDid('did:plc:ewvi7nxzyoun6zhxrhs64oiz')
const blog = parseSiteName('blog')
if (alice === null || blog === null) throw new Error('the fixtures are wrong')

const name = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('__proto__', 'constructor'))
const path = fc
  .array(name.filter(isEntryName), { minLength: 1, maxLength: 4 })
  .map((names) => names.join('/'))
const hex = fc.stringMatching(/^[0-9a-f]{64}$/)
const file = fc.record({
  cid: fc.string(),
  hash: hex,
  coding: fc.constantFrom('gzip' as const, 'identity' as const),
  storedBytes: fc.maxSafeNat(),
  bytes: fc.maxSafeNat(),
  contentType: fc.constantFrom('text/html; charset=utf-8', 'image/png'),
})
const settings: fc.Arbitrary<SiteSettings> = fc.record(
  {
    $type: fc.constant('place.sitehost.settings' as const),
    indexFiles: fc.array(name.filter(isEntryName), { maxLength: 10 }),
    cleanUrls: fc.boolean(),
    trailingSlash: fc.constantFrom('auto' as const, 'always' as const, 'never' as const),
    spaMode: fc.constant('app.html'),
    headers: fc.constant([{ name: 'X-One', value: '1', path: '/*' }]),
  },
  { requiredKeys: ['$type'] },
)
const snapshot: fc.Arbitrary<Snapshot> = fc.record({
  did: fc.constant(alice),
  name: fc.constant(blog),
  recordCid: fc.string(),
  publishedAt: fc.maxSafeNat(),
  settings: fc.option(settings),
  redirects: fc.string({ unit: 'grapheme' }),
  headers: fc.string({ unit: 'grapheme' }),
  files: fc.array(fc.tuple(path, file)).map((files) => new Map(files)),
})

test('a snapshot is read as it was written', () => {
  fc.assert(
    fc.property(snapshot, (original) => {
      const read = decodeSnapshot(encodeSnapshot(original))
      expect(read).toEqual(original)
      expect([...read.files.keys()]).toEqual([...original.files.keys()])
    }),
  )
})

test.each([
  ['of the limit', 'ä'.repeat(snapshotBytesMax / 2), null],
  [
    'of one byte more',
    `${'ä'.repeat(snapshotBytesMax / 2)}.`,
    `its file names, settings and rules have ${snapshotBytesMax + 1} bytes together; the limit is ${snapshotBytesMax}`,
  ],
])('the size of a snapshot %s', (_, encoded, problem) => {
  expect(snapshotSizeProblem(encoded)).toBe(problem)
})

const good = {
  format: 2,
  did: alice,
  name: blog,
  recordCid: 'r',
  publishedAt: 1,
  settings: { $type: 'place.sitehost.settings', cleanUrls: true },
  redirects: '/a /b',
  headers: '/*\n  X-One: 1',
  files: [['index.html', 'c', 'ab', 'gzip', 1, 2, 'text/html']],
}

function read(stored: unknown): Snapshot {
  return decodeSnapshot(JSON.stringify(stored))
}

test('a snapshot is decoded in steps, each of at most a hundred files', () => {
  const [file] = good.files
  const files = Array.from({ length: 10_000 }, (_, n) => [`${n}.html`, ...(file ?? []).slice(1)])
  const steps = [...decodeSnapshotSteps(JSON.stringify({ ...good, files }))]
  expect(steps).toHaveLength(1 + 100)
})

test('the stored form stays as it is, or its number goes up', () => {
  expect(JSON.parse(encodeSnapshot(read(good)))).toEqual(good)
})

test('a snapshot of the first format is read: no settings, no rules', () => {
  const { settings, redirects, headers, ...rest } = good
  const first = read({ ...rest, format: 1 })
  expect(first).toEqual({ ...read(good), settings: null, redirects: '', headers: '' })
})

test('settings that this program does not know are dropped', () => {
  const stored = { ...good, settings: { ...good.settings, mood: 'good' } }
  expect(read(stored)).toEqual(read(good))
})

const damaged: [string, unknown][] = [
  ['null', null],
  ['a list', []],
  ['a string', 'x'],
  ['nothing', {}],
  ['another format', { ...good, format: 3 }],
  ['a bad DID', { ...good, did: 'alice.test' }],
  ['a bad name', { ...good, name: '..' }],
  ['no record CID', { ...good, recordCid: 1 }],
  ['a time that is no number', { ...good, publishedAt: '1' }],
  ['a negative time', { ...good, publishedAt: -1 }],
  ['no settings at all', { ...good, settings: undefined }],
  ['settings of bad types', { ...good, settings: { cleanUrls: 'yes' } }],
  ['redirects that are no text', { ...good, redirects: ['/a /b'] }],
  ['no headers', { ...good, headers: undefined }],
  ['files that are no list', { ...good, files: { length: 1 } }],
  ['a file that is no list', { ...good, files: [{}] }],
  ['a file of nothing', { ...good, files: [[]] }],
  ['a bad path', { ...good, files: [['../x', 'c', 'ab', 'gzip', 1, 2, 'text/html']] }],
  ['an unknown coding', { ...good, files: [['x', 'c', 'ab', 'br', 1, 2, 'text/html']] }],
  ['a fraction of a byte', { ...good, files: [['x', 'c', 'ab', 'gzip', 1.5, 2, 'text/html']] }],
  ['no content type', { ...good, files: [['x', 'c', 'ab', 'gzip', 1, 2]] }],
]

test.each(damaged)('a stored snapshot with %s is rejected', (_, stored) => {
  expect(() => read(stored)).toThrow(SnapshotFormatError)
})

test('a string that is not JSON is rejected', () => {
  expect(() => decodeSnapshot('{"format":2')).toThrow(SnapshotFormatError)
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(() => decodeSnapshot(text)).toThrow(SnapshotFormatError)
    }),
  )
})

test('only the wanted files are decoded: those that decoding all gives at these paths', () => {
  const isWanted = (path: string): boolean => path.length % 2 === 0
  fc.assert(
    fc.property(snapshot, (given) => {
      const text = encodeSnapshot(given)
      const wanted = [...decodeSnapshot(text).files].filter(([path]) => isWanted(path))
      expect([...decodeFiles(text, isWanted)]).toEqual(wanted)
    }),
  )
  expect(() => decodeFiles('{}', isWanted)).toThrow(SnapshotFormatError)
})
