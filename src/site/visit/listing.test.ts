import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { listDirectories } from './listing.ts'

const file = {
  cid: 'c',
  hash: 'h',
  coding: 'gzip',
  storedBytes: 1,
  bytes: 2,
  contentType: 'text/html',
} as const

/** By path, the names in their order; directories end in a slash. */
function names(...paths: string[]): Record<string, string> {
  const directories = listDirectories(new Map(paths.map((path) => [path, file])))
  return Object.fromEntries(
    Array.from(directories, ([path, entries]) => [
      path,
      entries.map(({ kind, name }) => (kind === 'directory' ? `${name}/` : name)).join(' '),
    ]),
  )
}

test.each([
  [[], { '': '' }],
  [['a.txt'], { '': 'a.txt' }],
  [['d/a.txt'], { '': 'd/', d: 'a.txt' }],
  [
    ['z.txt', 'b/c/x', 'a.txt', 'b/y', 'a/x'],
    { '': 'a/ b/ a.txt z.txt', a: 'x', b: 'c/ y', 'b/c': 'x' },
  ],
  [['b', 'B', 'a10', 'a9', '\u00fc', '_'], { '': 'B _ a10 a9 b \u00fc' }],
  [
    ['_redirects', '_headers', '.sitehostignore', 'd/_headers', '.well-known/x'],
    { '': '.well-known/ d/', d: '_headers', '.well-known': 'x' },
  ],
  [['__proto__/constructor'], { '': '__proto__/', ['__proto__']: 'constructor' }],
])('%j is listed as %j', (paths, expected) => {
  expect(names(...paths)).toEqual(expected)
})

test('a file has its size and type', () => {
  expect(listDirectories(new Map([['a', file]])).get('')).toEqual([
    { kind: 'file', name: 'a', bytes: 2, contentType: 'text/html' },
  ])
})

test('every file is listed once, and every directory in its parent', () => {
  const path = fc
    .array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 4 })
    .map((segments) => segments.join('/'))
  fc.assert(
    fc.property(fc.uniqueArray(path), (paths) => {
      const directories = listDirectories(new Map(paths.map((each) => [each, file])))
      const listed = (kind: string) =>
        Array.from(directories, ([parent, entries]) =>
          entries
            .filter((entry) => entry.kind === kind)
            .map(({ name }) => (parent === '' ? name : `${parent}/${name}`)),
        ).flat()
      expect(listed('file').toSorted()).toEqual(paths.toSorted())
      expect(['', ...listed('directory')].toSorted()).toEqual([...directories.keys()].toSorted())
    }),
  )
})
