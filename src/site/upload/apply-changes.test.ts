import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { siteFilesMax } from '#site/limits.ts'
import { foldersAbove, parseSitePath, type SitePath } from '#site/path.ts'
import { treeProblems } from '#site/tree-problems.ts'
import { fuzzRunsOf } from '#tests/support/hostile/fuzz.ts'
import { applyChanges } from './apply-changes.ts'

const pathOf = (text: string): SitePath => {
  const path = parseSitePath(text)
  if (path === null) throw new TypeError(`not a path: ${text}`)
  return path
}
const treeOf = (nodes: Readonly<Record<string, string>>) =>
  new Map(Object.entries(nodes).map(([path, node]) => [pathOf(path), node]))

interface Given {
  readonly base: Readonly<Record<string, string>>
  readonly files?: Readonly<Record<string, string>>
  readonly remove?: readonly string[]
  readonly into?: string
}

/** The changed tree, or its problems. */
function change({ base, files = {}, remove = [], into }: Given) {
  const changes = { remove: remove.map(pathOf), into: into === undefined ? null : pathOf(into) }
  const changed = applyChanges(treeOf(base), treeOf(files), changes)
  return changed.ok ? Object.fromEntries(changed.files) : changed.problems
}

const base = { 'index.html': 'a', 'docs/one.html': 'b', 'docs/old/two.html': 'c' }

describe('a tree', () => {
  const facts: [string, Omit<Given, 'base'>, Readonly<Record<string, string>>][] = [
    ['stays without changes', {}, base],
    ['gets a file', { files: { 'new.html': 'd' } }, { ...base, 'new.html': 'd' }],
    ['gets another content', { files: { 'index.html': 'd' } }, { ...base, 'index.html': 'd' }],
    [
      'loses a file',
      { remove: ['index.html'] },
      { 'docs/one.html': 'b', 'docs/old/two.html': 'c' },
    ],
    ['loses a folder', { remove: ['docs'] }, { 'index.html': 'a' }],
    [
      'loses a folder and a file in it',
      { remove: ['docs', 'docs/one.html'] },
      { 'index.html': 'a' },
    ],
    [
      'gets a file in place of a folder',
      { remove: ['docs/one.html', 'docs/old'], files: { docs: 'd' } },
      { 'index.html': 'a', docs: 'd' },
    ],
    [
      'has a folder that becomes these files',
      { into: 'docs', files: { 'three.html': 'd', 'old/two.html': 'c' } },
      { 'index.html': 'a', 'docs/three.html': 'd', 'docs/old/two.html': 'c' },
    ],
    ['has a folder that becomes nothing', { into: 'docs' }, { 'index.html': 'a' }],
    [
      'gets a folder that it did not have',
      { into: 'blog/2026', files: { 'index.html': 'd' } },
      { ...base, 'blog/2026/index.html': 'd' },
    ],
  ]
  test.each(facts)('%s', (_, changes, expected) => {
    expect(change({ base, ...changes })).toEqual({ ...expected })
  })
})

describe('refused:', () => {
  const facts: [string, Given, RegExp][] = [
    ['removing what is not there', { base, remove: ['doc'] }, /^remove: there is no "doc"\.$/],
    [
      'removing a file that is set',
      { base, remove: ['index.html'], files: { 'index.html': 'd' } },
      /^remove: "index\.html" is among the files, too\.$/,
    ],
    ['a folder and removals', { base, into: 'docs', remove: ['index.html'] }, /^Send either/],
    ['a file as the folder', { base, into: 'index.html' }, /^into: "index\.html" is a file\.$/],
    ['a file below a file', { base, files: { 'index.html/x': 'd' } }, /a file that is also a dir/],
    ['a file in place of a folder', { base, files: { docs: 'd' } }, /a file that is also a dir/],
    [
      'a path that is too long in its folder',
      {
        base,
        into: `${'a/'.repeat(20)}b`,
        files: { [Array(5).fill('c'.repeat(200)).join('/')]: 'd' },
      },
      /^The path of "c+/,
    ],
    [
      'too many files',
      {
        base: Object.fromEntries(Array.from({ length: siteFilesMax }, (_, i) => [`${i}`, 'a'])),
        files: { 'one-more': 'b' },
      },
      /at most 10,000 files; this one would have more\.$/,
    ],
  ]
  test.each(facts)('%s', (_, given, problem) => {
    expect(change(given)).toEqual([expect.stringMatching(problem)])
  })

  test('more files than a service takes', () => {
    const [present, added] = [treeOf({ a: '1', b: '2' }), treeOf({ c: '3' })]
    const change = { remove: [], into: null }
    expect(applyChanges(present, added, change, 3).ok).toBe(true)
    expect(applyChanges(present, added, change, 2)).toEqual({
      ok: false,
      problems: ['A site can have at most 2 files; this one would have more.'],
    })
  })

  test('with a bounded number of sentences', () => {
    const remove = Array.from({ length: 100 }, (_, i) => `gone-${i}`)
    expect(change({ base, remove })).toHaveLength(20)
  })
})

const segment = fc.constantFrom('a', 'b', 'c')
const somePath = fc.array(segment, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'))
const someTree = fc
  .dictionary(somePath, fc.constantFrom('1', '2', '3'), { noNullPrototype: true })
  .map((nodes) => treeOf(nodes))
const treeOnly = someTree.filter((tree) => treeProblems(tree.keys()).length === 0)
const isIn = (path: string, folder: string) => foldersAbove(path).includes(folder)

test('what is not named stays as it is, and what is set is there', () => {
  const changes = fc.record({
    base: treeOnly,
    files: someTree,
    remove: fc.array(somePath.map(pathOf), { maxLength: 3 }),
    into: fc.option(somePath.map(pathOf)),
  })
  fc.assert(
    fc.property(changes, ({ base, files, remove, into }) => {
      const changed = applyChanges(base, files, { remove, into })
      if (!changed.ok) {
        expect(changed.problems).not.toEqual([])
        return
      }
      expect(treeProblems(changed.files.keys())).toEqual([])
      const placed = new Map(
        [...files].map(([path, node]) => [into ? `${into}/${path}` : path, node]),
      )
      for (const [path, node] of placed) expect(changed.files.get(path as SitePath)).toBe(node)
      const isNamed = (path: string) =>
        placed.has(path) ||
        [...remove, ...(into ? [into] : [])].some((at) => at === path || isIn(path, at))
      for (const [path, node] of base) {
        if (!isNamed(path)) expect(changed.files.get(path)).toBe(node)
        else if (!placed.has(path)) expect(changed.files.has(path)).toBe(false)
      }
      expect(changed.files.size).toBeLessThanOrEqual(base.size + files.size)
    }),
    { numRuns: fuzzRunsOf(500), seed: 1 },
  )
})
