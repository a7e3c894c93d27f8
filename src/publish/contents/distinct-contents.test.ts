import { expect, test } from 'bun:test'
import type { SitePath } from '#site/path.ts'
import { distinctContents } from './distinct-contents.ts'

const files = (...pairs: readonly (readonly [path: string, content: string])[]) =>
  pairs.map(([path, sha256]) => ({ path: path as SitePath, sha256 }))

const pathsOf = (given: ReturnType<typeof files>) => distinctContents(given).map(({ path }) => path)

test('of files with the same content one is left, which may be compressed, in whatever order they come', () => {
  const all = files(['a.png', '1'], ['b.html', '1'], ['c.png', '1'], ['d.png', '2'])
  expect(pathsOf(all)).toEqual(['b.html', 'd.png'] as SitePath[])
  expect(pathsOf(all.toReversed()).toSorted()).toEqual(['b.html', 'd.png'] as SitePath[])
})
