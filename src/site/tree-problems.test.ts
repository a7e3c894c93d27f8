import { describe, expect, test } from 'bun:test'
import { parseSitePath, type SitePath } from './path.ts'
import { treeProblems } from './tree-problems.ts'

function paths(...inputs: string[]): SitePath[] {
  return inputs.map((input) => {
    const path = parseSitePath(input)
    if (path === null) throw new Error(`no path: ${input}`)
    return path
  })
}

describe('treeProblems', () => {
  const many = (count: number) => Array.from({ length: count }, (_, i) => `d/${i}`)
  const deep = (depth: number) => `${'d/'.repeat(depth)}a`

  test.each([
    [[]],
    [['a', 'b/a', 'ab']],
    [['a', 'a.b/c', 'a-']],
    [['Index.html', 'index.html', 'é', 'e\u0301']],
    [['__proto__', 'constructor/a']],
    [many(501)],
    [[deep(32)]],
  ])('there are none with %j', (inputs) => {
    expect(treeProblems(paths(...inputs))).toEqual([])
  })

  test.each([
    [['a/b', 'c', 'a/b'], 'the same path twice: a/b'],
    [['a', 'a/b'], 'a file that is also a directory: a'],
    [['x/a/b/c', 'x/a'], 'a file that is also a directory: x/a'],
    [[deep(33)], `more than 32 directories deep: ${deep(33)}`],
  ])('with %j: %s', (inputs, problem) => {
    expect(treeProblems(paths(...inputs))).toEqual([problem])
  })

  test('are there from 48 001 files and directories on', () => {
    expect(treeProblems(paths(...many(47_999)))).toEqual([])
    expect(treeProblems(paths(...many(48_000)))).toEqual([
      'over 48000 files and directories together',
    ])
  })

  test('are the first twenty', () => {
    expect(treeProblems(paths(...many(30), ...many(30)))).toHaveLength(20)
  })
})
