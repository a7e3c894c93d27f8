import { expect, test } from 'bun:test'
import { snapshotOf, storedFile } from '#tests/support/visitors/served-site.ts'
import { describeChange, describeVersion } from './folder-preview.ts'

const { file } = storedFile({ body: 'x' })
const version = (problems: string[], leftOut: { path: string; reason: string }[] = []) => ({
  snapshot: snapshotOf({ 'index.html': file }),
  leftOut,
  problems,
})

test('a version: how many files, what is left out and why, what is wrong', () => {
  const env = { path: '.env', reason: 'may hold secrets' }
  expect(describeVersion('dist', version(['_redirects, line 1: bad'], [env]))).toEqual([
    '  dist: 1 file',
    '  left out: ".env" (may hold secrets)',
    '  problem: _redirects, line 1: bad',
  ])
})

test('a change: how many problems, and those that are new', () => {
  expect(describeChange(version(['old', 'new']), ['old', 'mended'])).toEqual([
    '  read again: 1 file, 2 problems',
    '  problem: new',
  ])
})

test('twenty lines of a kind are said, of more how many', () => {
  const lines = (count: number) =>
    describeVersion('dist', version(Array.from({ length: count }, (_, i) => `${i}`)))
  expect(lines(20)).toHaveLength(21)
  expect(lines(21)).toHaveLength(22)
  expect(lines(21).at(-1)).toBe('  … and 1 more')
})

test('nothing that a terminal would obey is said', () => {
  expect(describeVersion('a\u001b[2J', version(['b\u009bm\n'])).join('')).not.toMatch(/\p{Cc}/u)
})
