import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { fuzzRunsOf } from '#tests/support/hostile/fuzz.ts'
import { readTree } from './read-tree.ts'

const link = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'
const blob = { $type: 'blob', ref: { $link: link }, mimeType: 'text/html', size: 5 }
const file = { $type: 'place.sitehost.fs#file', type: 'file', blob }

function directory(...entries: unknown[]): object {
  return { type: 'directory', entries }
}

/** A tree whose only entry is this node. */
function holding(node: unknown): object {
  return directory({ name: 'a', node })
}

/** A directory of files with these names. */
function named(...names: unknown[]): object {
  return directory(...names.map((name) => ({ name, node: file })))
}

/** A file in so many directories inside one another, the root not counted. */
function nested(depth: number): object {
  let tree = holding(file)
  for (let i = 0; i < depth; i++) tree = directory({ name: 'd', node: tree })
  return tree
}

/** So many directories of so many files each. */
function wide(directories: number, files: number): object {
  const node = named(...Array.from({ length: files }, (_, i) => `${i}`))
  return directory(...Array.from({ length: directories }, (_, i) => ({ name: `${i}`, node })))
}

function problemsOf(raw: unknown): string[] {
  const result = readTree(raw)
  return result.ok ? [] : result.problems
}

const longest = { mimeType: `text/${'x'.repeat(250)}` }
const tooLong = { mimeType: `text/${'x'.repeat(251)}` }

test('a media type of more than 255 characters is not kept, and unknown to visitors', () => {
  const kept = (facts: object) => {
    const result = readTree(holding({ ...file, ...facts }))
    return result.ok && result.root.entries[0]?.node
  }
  expect(kept(longest)).toMatchObject(longest)
  expect(kept(tooLong)).toMatchObject({ mimeType: 'application/octet-stream' })
})

const accepted: [string, unknown][] = [
  ['no file', directory()],
  ['a file', holding(file)],
  ['a part', holding({ type: 'subfs', subject: 'at://did:plc:x/place.sitehost.subfs/p' })],
  ['a part with a long name', holding({ type: 'subfs', subject: `at://${'x'.repeat(995)}` })],
  ['a blob with a long media type', holding({ ...file, blob: { ...blob, ...longest } })],
  ['an empty directory', holding(directory())],
  ['no $type anywhere', holding({ type: 'file', blob })],
  ['the $type of the lexicon of parts', holding({ ...file, $type: 'place.sitehost.subfs#file' })],
  ['fields of a later lexicon', directory({ name: 'a', node: { ...file, mode: 1 }, x: 1 })],
  ['32 directories in one another', nested(32)],
  ['5000 entries', wide(10, 499)],
  ['a name of 255 bytes', named('a'.repeat(255))],
  ['names of object properties', named('__proto__', 'constructor', 'toString')],
  ['names that differ by case and by composition', named('a', 'A', 'é', 'e\u0301')],
  ['a name that looks encoded', named('%2e%2e%2fx')],
  ['a name with a bidi override', named('a\u202eb')],
]

test.each(accepted)('a tree with %s is read', (_, raw) => {
  expect(problemsOf(raw)).toEqual([])
})

const refused: [string, unknown, string][] = [
  [
    'a part with a name that is too long',
    holding({ type: 'subfs', subject: `at://${'x'.repeat(996)}` }),
    '"a" has a subject of more than 1000 characters',
  ],
  [
    'a blob with a media type that is too long',
    holding({ ...file, blob: { ...blob, ...tooLong } }),
    '"a" has a blob with a media type of more than 255 characters',
  ],
  ['nothing', undefined, 'the root is not a directory'],
  ['a file for a root', file, 'the root is not a directory'],
  ['no entries', { type: 'directory' }, 'the root has no list of entries'],
  [
    'entries that are no list',
    { type: 'directory', entries: { length: 1 } },
    'the root has no list of entries',
  ],
  ['an entry that is null', directory(null), 'the root has an entry without a name'],
  ['an entry without a name', directory({ node: file }), 'the root has an entry without a name'],
  ['a name that is a number', named(1), 'the root has an entry without a name'],
  ['an entry without a node', directory({ name: 'a' }), '"a" is neither file, directory nor subfs'],
  ['a path as a name', named('../../tmp/pwn'), '"../../tmp/pwn" has a bad name (slash)'],
  ['the name .', named('.'), '"." has a bad name (dot segment)'],
  ['the name ..', named('..'), '".." has a bad name (dot segment)'],
  ['an empty name', named(''), 'the root has a bad name (empty segment)'],
  ['a backslash in a name', named('a\\b'), '"a\\\\b" has a bad name (backslash)'],
  ['NUL in a name', named('a\0'), '"a\\u0000" has a bad name (control character)'],
  ['a line break in a name', named('a\nb'), '"a\\nb" has a bad name (control character)'],
  ['half a surrogate pair', named('a\ud800'), '"a\\ud800" has a bad name (not Unicode)'],
  ['a name twice', named('a', 'b', 'a'), '"a" is there twice'],
  [
    'a file and a directory of one name',
    directory({ name: 'a', node: file }, { name: 'a', node: directory() }),
    '"a" is there twice',
  ],
  [
    '33 directories in one another',
    nested(33),
    `"${'d/'.repeat(32)}d" is more than 32 directories deep`,
  ],
  ['50 001 entries', wide(100, 500), '"99" brings the site over 50000 entries'],
  [
    'a node of an unknown type',
    holding({ type: 'symlink' }),
    '"a" is neither file, directory nor subfs',
  ],
  [
    'a node without a type',
    holding({ ...file, type: undefined }),
    '"a" is neither file, directory nor subfs',
  ],
  [
    'a node of two types',
    holding({ ...file, $type: 'place.sitehost.fs#directory' }),
    '"a" is neither file, directory nor subfs',
  ],
  [
    'a node of a foreign type',
    holding({ ...file, $type: 'com.example#file' }),
    '"a" is neither file, directory nor subfs',
  ],
  [
    'a node whose $type is null',
    holding({ ...file, $type: null }),
    '"a" is neither file, directory nor subfs',
  ],
  ['a file without a blob', holding({ type: 'file' }), '"a" has no blob'],
  ['a file with entries', holding({ ...file, entries: [] }), '"a" is a file with entries'],
  [
    'a blob that is too large',
    holding({ ...file, blob: { ...blob, size: 1e9 + 1 } }),
    '"a" has a blob whose size is not 0 to 1000000000 bytes',
  ],
]

test.each(refused)('a tree with %s is rejected', (_, raw, problem) => {
  expect(problemsOf(raw)).toEqual([problem])
})

test.each([5000, 100_000])('%d directories in one another exhaust no stack', (depth) => {
  expect(problemsOf(nested(depth))).toHaveLength(1)
})

describe('problems', () => {
  test('name the file', () => {
    const blog = directory({ name: 'x.html', node: { type: 'file' } })
    expect(problemsOf(directory({ name: 'blog', node: blog }))).toEqual([
      '"blog/x.html" has no blob',
    ])
  })

  test('are not longer for a long name', () => {
    const [problem = ''] = problemsOf(named(`\n${'a'.repeat(10_000)}`))
    expect(problem.length).toBeLessThan(300)
  })

  test('are the first twenty, in one directory or in many', () => {
    const bad = Array.from({ length: 400 }, (_, i) => ({
      name: `${i}`,
      node: directory(null, null),
    }))
    expect(problemsOf(directory(...bad))).toHaveLength(20)
    expect(problemsOf(named(...bad))).toHaveLength(20)
    const empty = Array.from({ length: 30 }, (_, i) => ({
      name: `${i}`,
      node: { type: 'directory' },
    }))
    expect(problemsOf(directory(...empty))).toHaveLength(20)
  })
})

describe('anything at all', () => {
  const junk = fc.oneof(
    fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withSparseArray: true,
      withTypedArray: true,
    }),
    fc.constantFrom('file', 'directory', 'subfs', 'blob', link, 0, -1, null),
  )
  const { node } = fc.letrec<{ node: unknown; entry: unknown }>((tie) => ({
    entry: fc.oneof(fc.record({ name: fc.oneof(fc.string(), junk), node: tie('node') }), junk),
    node: fc.oneof(
      { maxDepth: 4 },
      fc.record({
        type: fc.constant('file'),
        blob: fc.record({ $type: fc.constant('blob'), ref: junk, mimeType: junk, size: junk }),
      }),
      fc.record(
        { type: fc.constantFrom('file', 'directory', 'subfs'), entries: junk, blob: junk },
        { requiredKeys: [] },
      ),
      fc.record({
        type: fc.constant('directory'),
        entries: fc.array(tie('entry'), { maxLength: 4 }),
      }),
    ),
  }))

  test('is either a tree or has problems', () => {
    fc.assert(
      fc.property(fc.oneof(node, junk), (raw) => {
        const result = readTree(raw)
        expect(result.ok || result.problems.length > 0).toBe(true)
      }),
      { numRuns: fuzzRunsOf(500) },
    )
  })
})
