import { describe, expect, test } from 'bun:test'
import type { SiteLimits } from '#site/limits.ts'
import { chooseFiles, noRules } from './folder-choice.ts'

const mb = 1024 * 1024
const limits: SiteLimits = { fileBytesMax: 100 * mb, siteBytesMax: 300 * mb, siteFilesMax: 1000 }

/** What is made of files of these sizes. */
function choose(files: Readonly<Record<string, number>>, ignoreText = '') {
  const listed = Object.entries(files).map(([path, bytes]) => ({
    path,
    bytes,
    realPath: `/folder/${path}`,
    state: '',
  }))
  const listing = { files: listed, leftOut: [{ path: '.env', reason: 'may hold secrets' }] }
  const rules = { ...noRules, '.sitehostignore': ignoreText }
  const { files: chosen, ...rest } = chooseFiles(listing, rules, limits)
  return { paths: chosen.map(({ path }) => path as string), ...rest }
}

const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i % 400}/${i}`, 0]))

test('a folder without anything in it is refused as empty', () => {
  const { refusals } = chooseFiles({ files: [], leftOut: [] }, noRules, limits)
  expect(refusals).toEqual([expect.stringContaining('The folder is empty.')])
  expect(choose({}).refusals).toEqual([expect.stringContaining('is one that is left out')])
})

test('all files are taken but the rules of what is left out', () => {
  expect(choose({ 'index.html': 1, '.sitehostignore': 1, _redirects: 1 })).toEqual({
    paths: ['index.html', '_redirects'],
    leftOut: [{ path: '.env', reason: 'may hold secrets' }],
    problems: [],
    refusals: [],
  })
})

test('.sitehostignore is obeyed; what of it is not understood is a problem', () => {
  const { paths, leftOut, problems } = choose({ 'a.psd': 1, 'b.html': 1 }, '*.psd\n[\n')
  expect(paths).toEqual(['b.html'])
  expect(leftOut).toContainEqual({ path: 'a.psd', reason: '.sitehostignore' })
  expect(problems).toEqual([expect.stringMatching(/^\.sitehostignore, line 2: /)])
})

test('a link to a file that the rules leave out is left out', () => {
  const file = { bytes: 1, state: '', realPath: '/folder/drafts/two.html' }
  const files = [
    { ...file, path: 'latest.html', target: 'drafts/two.html' },
    { ...file, path: 'other.html', target: 'public.html' },
  ]
  const rules = { ...noRules, '.sitehostignore': 'drafts/\n' }
  const choice = chooseFiles({ files, leftOut: [] }, rules, limits)
  expect(choice.files.map(({ path }) => path as string)).toEqual(['other.html'])
  expect(choice.leftOut).toEqual([
    { path: 'latest.html', reason: 'a link to a skipped file: .sitehostignore' },
  ])
})

test('rules that take too long count for nothing', () => {
  const names = Object.fromEntries(
    Array.from({ length: 900 }, (_, i) => [`${'a'.repeat(240)}${i}`, 0]),
  )
  const { paths, refusals } = choose(names, `*a*a*a*a*b*\n`.repeat(999))
  expect(paths).toHaveLength(900)
  expect(refusals).toEqual([
    expect.stringContaining('The rules in ".sitehostignore" take too long'),
  ])
})

test('a path that no site can hold is not taken', () => {
  const { paths, refusals } = choose({ 'a\\b': 1, 'c.html': 1 })
  expect(paths).toEqual(['c.html'])
  expect(refusals).toEqual(['Bad file path "a\\\\b": backslash.'])
})

describe('what publishing would refuse is taken, and said', () => {
  const rows: [string, Record<string, number>, RegExp | null][] = [
    ['1000 files', many(1000), null],
    ['1001 files', many(1001), /^A site can have at most 1,000 files; this upload has more\.$/],
    ['a file of 100 MB', { a: 100 * mb }, null],
    ['a file of a byte more', { a: 100 * mb + 1 }, /^"a" is larger than 100 MiB\.$/],
    ['300 MB in all', { a: 100 * mb, b: 100 * mb, c: 100 * mb }, null],
    [
      'a byte more in all, whatever follows',
      { a: 100 * mb, b: 100 * mb, c: 100 * mb, d: 1, e: 1 },
      /^This site is larger than 300 MiB: "d" no longer fits\.$/,
    ],
    ['32 folders deep', { [`${'a/'.repeat(32)}b`]: 1 }, null],
    ['33 folders deep', { [`${'a/'.repeat(33)}b`]: 1 }, /more than 32 directories deep/],
    ['no file', {}, /one that is left out\. Nothing was published\.$/],
  ]
  test.each(rows)('%s', (_, files, refusal) => {
    const { paths, refusals } = choose(files)
    expect(paths).toHaveLength(Object.keys(files).length)
    expect(refusals).toEqual(refusal === null ? [] : [expect.stringMatching(refusal)])
  })
})
