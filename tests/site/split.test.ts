import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { compareBytes, type SitePath } from '#site/path.ts'
import { expandTree } from '#site/record/expand.ts'
import type { Directory, FileNode, Manifest } from '#site/record/manifest.ts'
import { type PartUri, parsePart, partUri } from '#site/record/part.ts'
import { type SplitPart, type SplitTree, splitTree, splitVersion } from '#site/record/split.ts'
import { buildTree } from '#site/record/tree.ts'
import { type SiteAddress, siteUri } from '#site/site-address.ts'
import { parseSiteName, type SiteName } from '#site/site-name.ts'

const address: SiteAddress = {
  did: 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa',
  name: parseSiteName('site') as SiteName,
}

const file = (size: number): FileNode => ({
  $type: 'place.sitehost.fs#file',
  type: 'file',
  blob: {
    $type: 'blob',
    ref: { $link: 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku' },
    mimeType: 'application/octet-stream',
    size,
  },
  encoding: 'gzip',
  base64: true,
  mimeType: 'text/html',
})

type Files = ReadonlyMap<SitePath, FileNode>

const filesAt = (paths: readonly string[]): Files =>
  new Map(paths.map((path, i) => [path as SitePath, file(i)]))

const many = (count: number, nameOf: (i: number) => string) =>
  filesAt(Array.from({ length: count }, (_, i) => nameOf(i)))

const split = (files: Files): SplitTree => splitTree(buildTree(files), address)

const time = '2026-01-01T00:00:00.000Z'

/** The records as they are written. */
function recordsOf({ root, parts }: SplitTree, fileCount: number): (Manifest | object)[] {
  const $type = 'place.sitehost.fs' as const
  return [
    { $type, site: address.name, root, fileCount, createdAt: time },
    ...Array.from(parts.values(), (part) => ({
      $type: 'place.sitehost.subfs',
      ...part,
      createdAt: time,
    })),
  ]
}

/** The files as a reader of the repository has them. */
function readBack({ root, parts }: SplitTree): Map<SitePath, FileNode> {
  const read = new Map<string, SplitPart>()
  for (const [key, { root, fileCount }] of parts) {
    const parsed = parsePart({ $type: 'place.sitehost.subfs', root, createdAt: time })
    if (!parsed.ok) throw new Error(JSON.stringify(parsed))
    read.set(key, { root: parsed.part.root, fileCount })
  }
  return join({ root, parts: read })
}

function join({ root, parts }: SplitTree): Map<SitePath, FileNode> {
  const roots = new Map<PartUri, Directory>()
  for (const [key, part] of parts) roots.set(partUri(address.did, key), part.root)
  const expanded = expandTree(root, address.did, roots)
  if (!expanded.ok) throw new Error(JSON.stringify(expanded))
  return expanded.files
}

const sorted = (files: Files) => [...files].sort(([a], [b]) => compareBytes(a, b))

/** Files in this record, and its largest directory. */
function measure(root: Directory): { files: number; entries: number } {
  let [files, entries] = [0, root.entries.length]
  for (const { node } of root.entries) {
    if (node.type === 'file') files += 1
    if (node.type !== 'directory') continue
    const inner = measure(node)
    files += inner.files
    entries = Math.max(entries, inner.entries)
  }
  return { files, entries }
}

function expectWithinLimits(tree: SplitTree, fileCount: number): void {
  for (const record of recordsOf(tree, fileCount) as { root: Directory }[]) {
    const { files, entries } = measure(record.root)
    expect(files).toBeLessThanOrEqual(250)
    expect(entries).toBeLessThanOrEqual(500)
    expect(Buffer.byteLength(JSON.stringify(record))).toBeLessThanOrEqual(140 * 1024)
  }
  expect(tree.parts.size).toBeLessThanOrEqual(100)
}

const shapes: [name: string, files: Files, isSplit: boolean][] = [
  ['nothing', filesAt([]), false],
  ['250 files', many(250, (i) => `d${i % 5}/${i}`), false],
  ['251 files', many(251, (i) => `d${i % 5}/${i}`), true],
  ['1000 files in one directory', many(1000, (i) => `${i}.html`), true],
  [
    '1000 files with names of 255 bytes in one directory',
    many(1000, (i) => `${i}-`.padEnd(255, 'x')),
    true,
  ],
  ['names that JSON doubles', many(1000, (i) => `${i}-`.padEnd(255, '"')), true],
  ['1000 directories of one file', many(1000, (i) => `${i}/index.html`), true],
  [
    'directories 31 deep, as long as a path may be',
    many(250, (i) => `${`${'d'.repeat(31)}/`.repeat(31)}${i}`),
    false,
  ],
  [
    '140 chains of directories that share nothing',
    many(140, (i) => `${Array(32).fill(`${i}`.padEnd(28, 'd')).join('/')}/f`),
    true,
  ],
  [
    'one large directory among small ones',
    many(600, (i) => (i < 400 ? `big/${i}` : `s${i}/x`)),
    true,
  ],
  ['a directory named like our parts', many(600, (i) => `part-1/${i}`), true],
]

describe('a tree is split when it has to be, and every record stays within its limits', () => {
  test.each(shapes)('%s', (_, files, isSplit) => {
    const tree = split(files)
    expect(tree.parts.size > 0).toBe(isSplit)
    expectWithinLimits(tree, files.size)
    expect(sorted(join(tree))).toEqual(sorted(files))
  })
})

test('140 KB of manifest are whole, one byte more is not', () => {
  const sized = (bytes: number) => {
    const base = many(150, (i) => `${i}`.padEnd(200, 'x'))
    const record = recordsOf({ root: buildTree(base), parts: new Map() }, base.size)[0]
    const fill = bytes - Buffer.byteLength(JSON.stringify(record))
    return fill
  }
  const missing = sized(140 * 1024)
  const names = (extra: number) =>
    filesAt(
      Array.from({ length: 250 }, (_, i) => {
        const share = Math.floor(extra / 250) + (i < extra % 250 ? 1 : 0)
        return `${i}`.padEnd(3, '-') + 'y'.repeat(share)
      }),
    )
  const bytesOf = (files: Files) =>
    Buffer.byteLength(
      JSON.stringify(recordsOf({ root: buildTree(files), parts: new Map() }, files.size)[0]),
    )
  expect(missing).toBeGreaterThan(0)
  const exact = 140 * 1024 - bytesOf(names(0))
  expect(bytesOf(names(exact))).toBe(140 * 1024)
  expect(split(names(exact)).parts.size).toBe(0)
  expect(split(names(exact + 1)).parts.size).toBeGreaterThan(0)
})

test('501 entries in a directory are moved into parts, however few the files', () => {
  const empty = buildTree(new Map())
  const entries = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ name: `${i}`, node: empty }))
  expect(splitTree({ ...empty, entries: entries(500) }, address).parts.size).toBe(0)
  const tree = splitTree({ ...empty, entries: entries(501) }, address)
  expectWithinLimits(tree, 0)
})

test('directories within each other, all large, get larger parts, so that readers follow all of them', () => {
  const files = many(3200, (i) => `${'d/'.repeat(i % 32)}${i}`)
  expect(sorted(join(split(files)))).toEqual(sorted(files))
})

describe('the tree of a version', () => {
  const splitKept = (files: Files): SplitTree => splitVersion(buildTree(files), address)
  const treeBytes = (root: Directory) => Buffer.byteLength(JSON.stringify(root))
  const newParts = (before: SplitTree, after: SplitTree) =>
    [...after.parts.keys()].filter((key) => !before.parts.has(key))

  test('of 8 kB is whole, of more it is in parts', () => {
    const counts = Array.from({ length: 60 }, (_, i) => many(i, (n) => `${n}.html`))
    const largest = counts.findLast((files) => treeBytes(buildTree(files)) <= 8 * 1024)
    const count = largest?.size ?? 0
    expect(count).toBeGreaterThan(20)
    expect(splitKept(many(count, (n) => `${n}.html`)).parts.size).toBe(0)
    expect(splitKept(many(count + 1, (n) => `${n}.html`)).parts.size).toBe(1)
  })

  test('has the parts that the manifest has, as soon as that has parts', () => {
    const files = many(300, (i) => `d${i % 5}/${i}`)
    expect(splitKept(files)).toEqual(split(files))
  })

  test.each(shapes.filter(([, { size }]) => size > 0))('%s', (_, files) => {
    const tree = splitKept(files)
    expect(sorted(join(tree))).toEqual(sorted(files))
    for (const part of tree.parts.values()) {
      // Chains that share nothing are the exception: their parts would be too many.
      expect(treeBytes(part.root)).toBeLessThanOrEqual(2 * 16 * 1024)
    }
  })

  const folders: [name: string, pathOf: (i: number) => string][] = [
    ['in one directory', (i) => `page-${i}.html`],
    ['in ten directories', (i) => `d${i % 10}/page-${i}.html`],
    ['in 200 directories', (i) => `d${i % 200}/page-${i}.html`],
    ['three directories deep', (i) => `a${i % 3}/b${i % 7}/c${i % 5}/${i}.html`],
  ]

  describe('of 1000 files', () => {
    test.each(folders)(
      '%s: a changed file changes one part of at most 16 kB and the root',
      (_, pathOf) => {
        const files = many(1000, pathOf)
        const before = splitKept(files)
        fc.assert(
          fc.property(fc.nat(999), fc.nat(1_000_000_000), (i, size) => {
            const changed = new Map(files).set(pathOf(i) as SitePath, file(size))
            const after = splitKept(changed)
            const parts = newParts(before, after)
            expect(parts.length).toBeLessThanOrEqual(1)
            for (const key of parts) {
              expect(treeBytes(after.parts.get(key)?.root as Directory)).toBeLessThanOrEqual(
                16 * 1024,
              )
            }
            expect(treeBytes(after.root)).toBeLessThanOrEqual(12 * 1024)
          }),
          { numRuns: 10 },
        )
      },
    )

    test.each(folders)('%s: an added file leaves what is not close to it', (_, pathOf) => {
      const files = many(1000, pathOf)
      const before = splitKept(files)
      fc.assert(
        fc.property(fc.nat(999), fc.stringMatching(/^[a-z]{1,10}$/), (i, word) => {
          const added = new Map(files).set(`${pathOf(i)}${word}` as SitePath, file(1))
          const after = splitKept(added)
          const changed = newParts(before, after).flatMap((key) => after.parts.get(key) ?? [])
          const fileCount = changed.reduce((sum, part) => sum + part.fileCount, 0)
          expect(fileCount).toBeLessThanOrEqual(150)
        }),
        { numRuns: 10, seed: 1 },
      )
    })
  })

  test('of 10 000 files has parts of parts, and a root that is small', () => {
    const files = many(10_000, (i) => `page-${i}.html`)
    const tree = splitKept(files)
    expect(treeBytes(tree.root)).toBeLessThanOrEqual(12 * 1024)
    expect(join(tree).size).toBe(10_000)
    const changed = splitKept(new Map(files).set('page-77.html' as SitePath, file(5)))
    expect(newParts(tree, changed)).toHaveLength(2)
  })
})

describe('keys of parts', () => {
  const files = many(600, (i) => `d${i % 4}/${i}`)

  test('the same tree gives the same parts, whatever order its files came in', () => {
    const reversed = new Map([...files].reverse())
    expect([...split(reversed).parts.keys()]).toEqual([...split(files).parts.keys()])
  })

  test('what was read from the repository gives the same parts as what was uploaded', () => {
    const written = split(files)
    expect(split(readBack(written)).parts).toEqual(written.parts)
  })

  test('two sites never share a part', () => {
    const other = { ...address, name: parseSiteName('other') as SiteName }
    const theirs = splitTree(buildTree(files), other).parts
    for (const key of split(files).parts.keys()) expect(theirs.has(key)).toBe(false)
    expect(siteUri(other)).not.toBe(siteUri(address))
  })

  test('what did not change keeps its key', () => {
    const changed = new Map(files).set('d0/0' as SitePath, file(999_999))
    const [before, after] = [split(files).parts, split(changed).parts]
    const kept = [...before.keys()].filter((key) => after.has(key))
    expect(before.size - kept.length).toBe(1)
  })
})

test('parts are records that fit their lexicon, and count their files', () => {
  const files = many(1000, (i) => `${i % 7}/${i % 3}/${i}`)
  const tree = split(files)
  for (const record of recordsOf(tree, files.size).slice(1)) {
    expect(parsePart(record)).toMatchObject({ ok: true })
  }
})

test('split and joined, every tree is itself again', () => {
  const segment = fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom('a', 'b', 'c', 'd', 'part-1') },
    { weight: 1, arbitrary: fc.string({ minLength: 1, maxLength: 60, unit: 'grapheme-ascii' }) },
  )
  const directory = fc.array(
    segment.filter((name) => !/[/\\]|^\.{1,2}$/.test(name)),
    { maxLength: 4 },
  )
  const group = fc.tuple(
    directory,
    fc.integer({ min: 1, max: 400 }),
    fc.integer({ min: 1, max: 200 }),
  )
  fc.assert(
    fc.property(fc.array(group, { minLength: 1, maxLength: 8 }), (groups) => {
      const paths = groups.flatMap(([names, count, length], g) =>
        Array.from({ length: count }, (_, i) =>
          [...names, `${g}-${i}-`.padEnd(length, 'n')].join('/'),
        ),
      )
      const files = filesAt([...new Set(paths)].slice(0, 1000))
      const tree = split(files)
      expectWithinLimits(tree, files.size)
      expect(sorted(join(tree))).toEqual(sorted(files))
    }),
    { numRuns: 15 },
  )
}, 20_000)
