import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { compareBytes, isEntryName, parseSitePath, type SitePath } from '#site/path.ts'
import { treeProblems } from '#site/tree-problems.ts'
import { expandTree } from './expand.ts'
import type { Directory, FileNode } from './manifest.ts'
import { buildTree, NotATreeError } from './tree.ts'

const owner = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'

function paths(...inputs: string[]): SitePath[] {
  return inputs.map((input) => {
    const path = parseSitePath(input)
    if (path === null) throw new Error(`no path: ${input}`)
    return path
  })
}

function fileOf(bytes: number): FileNode {
  const cid = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'
  const blob = { $type: 'blob', ref: { $link: cid }, mimeType: 'text/html', size: bytes } as const
  return { $type: 'place.sitehost.fs#file', type: 'file', blob }
}

/** A file per path, its size its place in the list. */
function filesAt(...inputs: string[]): Map<SitePath, FileNode> {
  return new Map(paths(...inputs).map((path, index) => [path, fileOf(index)]))
}

/** In one line: `a b(c d(e))`. */
function outline(directory: Directory): string {
  return directory.entries
    .map(({ name, node }) => (node.type === 'directory' ? `${name}(${outline(node)})` : name))
    .join(' ')
}

describe('buildTree', () => {
  test.each([
    [[], ''],
    [['index.html'], 'index.html'],
    [['b', 'a'], 'a b'],
    [['b/y', 'a', 'b/x/z'], 'a b(x(z) y)'],
    [['a.b', 'a/x', 'a-'], 'a(x) a- a.b'],
    [['\u{1F600}', '\uFFFD', 'B', 'a'], 'B a \uFFFD \u{1F600}'],
    [['__proto__/constructor', 'constructor'], '__proto__(constructor) constructor'],
  ])('%j becomes %s', (inputs, tree) => {
    expect(outline(buildTree(filesAt(...inputs)))).toBe(tree)
  })

  test('writes the $type that unions need', () => {
    const file = fileOf(0)
    expect(buildTree(filesAt('d/a'))).toEqual({
      $type: 'place.sitehost.fs#directory',
      type: 'directory',
      entries: [
        {
          name: 'd',
          node: {
            $type: 'place.sitehost.fs#directory',
            type: 'directory',
            entries: [{ name: 'a', node: file }],
          },
        },
      ],
    })
  })

  test('throws for a file that is also a directory, whichever comes first', () => {
    expect(() => buildTree(filesAt('a', 'a/b'))).toThrow(NotATreeError)
    expect(() => buildTree(filesAt('a/b/c', 'a'))).toThrow(NotATreeError)
  })
})

describe('properties of every tree', () => {
  const name = fc.oneof(
    fc.constantFrom('a', 'b', 'a.b', '__proto__', 'é', 'e\u0301', '\u{1F600}', '\uFFFD'),
    fc.string({ unit: 'grapheme' }).filter(isEntryName),
  )
  const fileSet = fc
    .array(fc.array(name, { minLength: 1, maxLength: 4 }))
    .map((all) => filesAt(...new Set(all.map((names) => names.join('/')))))

  test('finds the files that a tree was built of', () => {
    fc.assert(
      fc.property(fileSet, (files) => {
        fc.pre(treeProblems(files.keys()).length === 0)
        const result = expandTree(buildTree(files), owner)
        expect(result.ok && sorted(result.files)).toEqual(sorted(files))
      }),
    )
  })

  test('sees the same tree in whatever order the files came', () => {
    fc.assert(
      fc.property(fileSet, (files) => {
        fc.pre(treeProblems(files.keys()).length === 0)
        const reversed = new Map([...files].reverse())
        expect(JSON.stringify(buildTree(reversed))).toBe(JSON.stringify(buildTree(files)))
      }),
    )
  })
})

function sorted(files: ReadonlyMap<SitePath, FileNode>): [SitePath, FileNode][] {
  return [...files].sort(([a], [b]) => compareBytes(a, b))
}
