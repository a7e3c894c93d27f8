import { expect, test } from 'bun:test'
import type { SitePath } from '#site/path.ts'
import type { SiteFile } from '#web/publish/files/choose-files.ts'
import { pickedOf } from '#web/publish/files/picked-file.ts'
import { findRemovals } from './find-removals.ts'

const choice = (...paths: string[]) => ({
  isSealed: false,
  files: paths.map(
    (path): SiteFile => ({ ...pickedOf(path, new Blob(['x'])), path: path as SitePath }),
  ),
})
const live = async () => ['index.html', 'a.html', 'b.html', 'c.html', 'd.html']

test('a folder with nothing in common takes every file of the site', async () => {
  expect(await findRemovals('good', choice('p1.html'), live)).toEqual({ removed: 5, present: 5 })
})

test('a folder that keeps most of the site asks nothing', async () => {
  const kept = choice('index.html', 'a.html', 'b.html', 'new.html')
  expect(await findRemovals('good', kept, live)).toBe(null)
})

test('a site without a live version loses nothing', async () => {
  expect(await findRemovals('good', choice('p1.html'), async () => [])).toBe(null)
})

test('what cannot be compared is asked about', async () => {
  expect(await findRemovals('good', choice('p1.html'), async () => 'unknown')).toBe('unknown')
  const archive = { ...choice('site.tar'), isSealed: true }
  expect(await findRemovals('good', archive, live)).toBe('unknown')
})
