import { describe, expect, test } from 'bun:test'
import { cpuMs } from '#tests/support/processes/cpu-ms.ts'
import { expandTree } from './expand.ts'
import type { Directory, Entry, FileNode } from './manifest.ts'
import { type PartUri, partKeyOf, partUri } from './part.ts'

const owner = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const stranger = 'did:plc:bbbbbbbbbbbbbbbbbbbbbbbb'

const file: FileNode = {
  $type: 'place.sitehost.fs#file',
  type: 'file',
  blob: {
    $type: 'blob',
    ref: { $link: 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku' },
    mimeType: 'text/html',
    size: 1,
  },
}

const directory = (...entries: Entry[]): Directory => ({
  $type: 'place.sitehost.fs#directory',
  type: 'directory',
  entries,
})

const files = (...names: string[]): Entry[] => names.map((name) => ({ name, node: file }))

const within = (name: string, ...entries: Entry[]): Entry => ({ name, node: directory(...entries) })

function part(name: string, key: string, { flat = true, did = owner } = {}): Entry {
  const subject = partUri(did as typeof owner, key)
  return { name, node: { $type: 'place.sitehost.fs#subfs', type: 'subfs', subject, flat } }
}

const parts = (...all: [key: string, root: Directory][]): Map<PartUri, Directory> =>
  new Map(all.map(([key, root]) => [partUri(owner, key), root]))

function pathsOf(root: Directory, known = parts()): string[] {
  const expanded = expandTree(root, owner, known)
  if (!expanded.ok) throw new Error(JSON.stringify(expanded))
  return [...expanded.files.keys()].sort()
}

const problemsOf = (root: Directory, known = parts()) => expandTree(root, owner, known)

describe('parts become what they stand for', () => {
  test('a flat one is merged into the directory that names it', () => {
    const known = parts(['p', directory(...files('b', 'c'))])
    expect(pathsOf(directory(...files('a'), within('d', part('x', 'p'))), known)).toEqual([
      'a',
      'd/b',
      'd/c',
    ])
  })

  test('a mounted one becomes a directory of its entry’s name', () => {
    const known = parts(['p', directory(...files('b'))])
    expect(pathsOf(directory(part('x', 'p', { flat: false })), known)).toEqual(['x/b'])
  })

  test('nested ones are expanded where they are', () => {
    const known = parts(
      ['p', directory(...files('b'), part('y', 'q', { flat: false }))],
      ['q', directory(...files('c'), part('z', 'r'))],
      ['r', directory(...files('d'))],
    )
    expect(pathsOf(directory(part('x', 'p', { flat: false })), known)).toEqual([
      'x/b',
      'x/y/c',
      'x/y/d',
    ])
  })

  test('one may be mounted twice', () => {
    const known = parts(['p', directory(...files('b'))])
    const root = directory(part('x', 'p', { flat: false }), part('y', 'p', { flat: false }))
    expect(pathsOf(root, known)).toEqual(['x/b', 'y/b'])
  })

  test('missing parts are named, all that are known so far together', () => {
    const root = directory(part('x', 'p'), part('y', 'q'), part('z', 'p'))
    expect(expandTree(root, owner)).toEqual({
      ok: false,
      missing: [partUri(owner, 'p'), partUri(owner, 'q')],
      problems: [],
    })
  })
})

describe('rejects', () => {
  const chain = (length: number) =>
    parts(
      ...Array.from({ length }, (_, i): [string, Directory] => [
        `${i}`,
        directory(...(i + 1 < length ? [part('next', `${i + 1}`)] : files('end'))),
      ]),
    )

  test.each([
    ['a part of another account', directory(part('x', 'p', { did: stranger })), parts()],
    [
      'the same path twice through a flat part',
      directory(...files('a'), part('x', 'p')),
      parts(['p', directory(...files('a'))]),
    ],
    [
      'a file where a part makes a directory',
      directory(...files('x'), part('y', 'p')),
      parts(['p', directory(within('x', ...files('a')))]),
    ],
    [
      'a part that contains itself',
      directory(part('x', 'p')),
      parts(['p', directory(part('x', 'p'))]),
    ],
    [
      'two parts that hold each other',
      directory(part('x', 'p')),
      parts(['p', directory(part('x', 'q'))], ['q', directory(part('x', 'p'))]),
    ],
    ['parts 11 deep', directory(part('x', '0')), chain(11)],
    [
      '2001 parts',
      directory(...Array.from({ length: 2001 }, (_, i) => part(`${i}`, `p${i}`, { flat: false }))),
      parts(),
    ],
    [
      'over 50 000 entries by way of a part that is mounted again and again',
      directory(...Array.from({ length: 101 }, (_, i) => part(`${i}`, 'p', { flat: false }))),
      parts(['p', directory(...files(...Array.from({ length: 500 }, (_, i) => `${i}`)))]),
    ],
  ])('%s', (_, root, known) => {
    const result = problemsOf(root, known)
    expect(result.ok).toBe(false)
    expect(result.ok === false && result.problems.length).toBeGreaterThan(0)
  })

  test('parts 10 deep and 2000 of them are not', () => {
    expect(pathsOf(directory(part('x', '0')), chain(10))).toEqual(['end'])
    const many = Array.from({ length: 2000 }, (_, i) => part(`${i}`, `p${i}`, { flat: false }))
    expect(expandTree(directory(...many), owner)).toMatchObject({ ok: false, problems: [] })
  })

  test('a million nested parts end at the limit of entries, early', () => {
    const known = parts(
      ...Array.from({ length: 9 }, (_, i): [string, Directory] => [
        `${i}`,
        directory(
          ...Array.from({ length: 400 }, (__, n) => part(`${n}`, `${i + 1}`, { flat: false })),
        ),
      ]),
    )
    const spent = cpuMs(() => {
      expect(expandTree(directory(part('x', '0')), owner, known).ok).toBe(false)
    })
    expect(spent).toBeLessThan(1000)
  })
})

describe('partKeyOf', () => {
  test.each([
    [`at://${owner}/place.sitehost.subfs/abc`, 'abc'],
    [`at://${stranger}/place.sitehost.subfs/abc`, null],
    [`at://alice.example.com/place.sitehost.subfs/abc`, null],
    [`at://${owner}/place.sitehost.fs/abc`, null],
    [`at://${owner}/place.sitehost.subfs/`, null],
    [`at://${owner}/place.sitehost.subfs/a/b`, null],
    [`at://${owner}/place.sitehost.subfs/..`, null],
    ['', null],
  ])('%s', (uri, key) => expect(partKeyOf(uri, owner)).toBe(key))
})
