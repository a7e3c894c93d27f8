import { describe, expect, test } from 'bun:test'
import { versionsMax } from '#site/limits.ts'
import { type EarlierFiles, findEarlierAssets } from './earlier-assets.ts'
import type { SnapshotFile } from './snapshot.ts'

type Files = Record<string, string>

/** Of a hundred bytes each, with what it says as hash. */
const fileOf = (hash: string): SnapshotFile => ({
  cid: `cid of ${hash}`,
  hash,
  coding: 'identity',
  storedBytes: 100,
  bytes: 100,
  contentType: 'text/javascript',
})
const filesOf = (files: Files): ReadonlyMap<string, SnapshotFile> =>
  new Map(Object.entries(files).map(([path, hash]) => [path, fileOf(hash)]))

/** Path → `hash until`, of a live version and of earlier ones, newest first, each with its end. */
async function earlier(
  live: Files,
  replaced: readonly [Files, number][],
  bytesMax = 10_000,
): Promise<Files> {
  const versions = replaced.map(
    ([files, until]): EarlierFiles => ({ files: filesOf(files), until }),
  )
  const found = await findEarlierAssets(filesOf(live), versions, bytesMax)
  return Object.fromEntries(
    [...found].map(([path, { file, until }]) => [path, `${file.hash} ${until}`]),
  )
}

const a = '_astro/a.C0ffee12.js'
const b = '_astro/b.C0ffee12.js'
const c = '_astro/c.C0ffee12.js'

const facts: [string, Files, [Files, number][], Files][] = [
  ['nothing was replaced', { [a]: 'A' }, [], {}],
  ['an asset that is gone', {}, [[{ [a]: 'A' }, 7]], { [a]: 'A 7' }],
  ['one that is there still, or again', { [a]: 'new' }, [[{ [a]: 'A' }, 7]], {}],
  ['pages and names without a hash', {}, [[{ 'about.html': 'x', '_astro/app.js': 'y' }, 7]], {}],
  [
    'several versions: each path from the newest',
    { [c]: 'C' },
    [
      [{ [b]: 'B new' }, 9],
      [{ [a]: 'A', [b]: 'B', [c]: 'C' }, 5],
    ],
    { [b]: 'B new 9', [a]: 'A 5' },
  ],
]
test.each(facts)('%s', async (_, live, replaced, expected) => {
  expect(await earlier(live, replaced)).toEqual(expected)
})

describe('limits', () => {
  test('of bytes: the newest that fit, the same content once', async () => {
    const replaced: [Files, number][] = [
      [{ [a]: 'same', [b]: 'same' }, 9],
      [{ [c]: 'C' }, 5],
    ]
    expect(Object.keys(await earlier({}, replaced, 200))).toEqual([a, b, c])
    expect(Object.keys(await earlier({}, replaced, 199))).toEqual([a, b])
    expect(Object.keys(await earlier({}, replaced, 99))).toEqual([])
  })

  test('of versions', async () => {
    const replaced = Array.from({ length: versionsMax + 1 }, (_, i): [Files, number] => [
      { [`_astro/${i}.C0ffee12.js`]: `${i}` },
      100 - i,
    ])
    expect(Object.keys(await earlier({}, replaced))).toHaveLength(versionsMax)
  })
})
