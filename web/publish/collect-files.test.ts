import { describe, expect, test } from 'bun:test'
import { archiveOf, collectFiles, filesOfEntries, leftOutAt } from './collect-files.ts'

describe('collectFiles', () => {
  test('keeps the picked folder in the paths and names it', () => {
    const { files, folder } = collect('blog/index.html', 'blog/css/site.css')
    expect(files.map(({ path }) => path)).toEqual(['blog/index.html', 'blog/css/site.css'])
    expect(folder).toBe('blog')
  })

  test('loose files have no folder', () => {
    expect(collect('index.html', 'blog/a.html').folder).toBe('')
    expect(collect('blog/a.html', 'blog2/b.html').folder).toBe('')
    expect(collect().folder).toBe('')
  })

  test('adds up the bytes of what will be sent', () => {
    expect(collect('a/1.txt', 'a/22.txt', 'a/.git/333').totalBytes).toBe('a/1.txta/22.txt'.length)
  })

  test('a folder that is left out counts once', () => {
    const { leftOut } = collect('a/index.html', 'a/node_modules/x/1.js', 'a/node_modules/y/2.js')
    expect(leftOut).toEqual([{ name: 'a/node_modules', reason: 'installed packages' }])
  })

  test('finds the start page at the top only', () => {
    expect(collect('a/index.html', 'a/b.html').hasIndex).toBe(true)
    expect(collect('index.html').hasIndex).toBe(true)
    expect(collect('a/b/index.html', 'a/c.html').hasIndex).toBe(false)
  })

  test('nothing to publish is a problem', () => {
    expect(collect().problem).toContain('nothing')
    expect(collect('a/.env').problem).toContain('nothing')
    expect(collect('a/index.html').problem).toBeNull()
  })

  test('10 000 files are a site, 10 001 are not, unless the folder says what to ignore', () => {
    expect(collect(...numbered(10_000)).problem).toBeNull()
    expect(collect(...numbered(10_001)).problem).toContain('10001')
    expect(collect('a/.sitehostignore', ...numbered(10_001)).problem).toBeNull()
  })
})

const archives: [string[], string | null][] = [
  [['blog.zip'], 'blog'],
  [['blog.tar'], 'blog'],
  [['my.blog.TAR.GZ'], 'my.blog'],
  [['blog.tgz', '.DS_Store'], 'blog'],
  [['blog.gz'], null],
  [['zip'], null],
  [['a/blog.zip'], null],
  [['blog.zip', 'index.html'], null],
  [[], null],
]
test.each(archives)('the archive among %j is %j', (paths, name) => {
  const { files, folder } = collect(...paths)
  expect(archiveOf(files)?.name ?? null).toBe(name)
  if (name !== null) expect(folder).toBe(name)
})

const outermost: [string, string | null][] = [
  ['a/index.html', null],
  ['a/.git/objects/00/1', 'a/.git'],
  ['a/.env.local', 'a/.env.local'],
  ['node_modules/x/node_modules/y', 'node_modules'],
]

test.each(outermost)('of %j, %j is left out', (path, name) => {
  expect(leftOutAt(path)?.name ?? null).toBe(name)
})

describe('filesOfEntries', () => {
  test('reads folders to the bottom', async () => {
    const dropped = folder(
      'a',
      file('index.html'),
      folder('css', file('site.css')),
      folder('empty'),
    )
    expect(await pathsOf(dropped)).toEqual(['a/index.html', 'a/css/site.css'])
  })

  test('reads a folder that comes in batches', async () => {
    const many = Array.from({ length: 250 }, (_, i) => file(`${i}.txt`))
    expect(await pathsOf(folder('a', ...many))).toHaveLength(250)
  })

  test('does not look into folders that are left out', async () => {
    const forbidden: Node = { name: 'node_modules', children: null }
    expect(await pathsOf(folder('a', file('x'), forbidden))).toEqual(['a/x', 'a/node_modules'])
  })

  test('fails when a folder cannot be read', async () => {
    const unreadable: Node = { name: 'locked', children: null }
    await expect(pathsOf(folder('a', unreadable))).rejects.toThrow('cannot read a/locked')
  })
})

const numbered = (count: number) => Array.from({ length: count }, (_, i) => `a/${i}.html`)

/** Each file holds its own path. */
function collect(...paths: string[]) {
  return collectFiles(paths.map((path) => ({ path, file: new File([path], path) })))
}

/** `children` of a folder that must not or cannot be read are null. */
interface Node {
  readonly name: string
  readonly children?: readonly Node[] | null
}

const file = (name: string): Node => ({ name })
const folder = (name: string, ...children: Node[]): Node => ({ name, children })

async function pathsOf(...nodes: Node[]): Promise<string[]> {
  const found = await filesOfEntries(nodes.map((node) => entryOf(node, '')))
  return found.map(({ path }) => path)
}

const batchSize = 100

function entryOf({ name, children }: Node, parent: string): FileSystemEntry {
  const fullPath = `${parent}/${name}`
  const facts = {
    name,
    fullPath,
    isFile: children === undefined,
    isDirectory: children !== undefined,
  }
  if (children === undefined) {
    const file = (open: (file: File) => void) => open(new File([], name))
    return { ...facts, file } as unknown as FileSystemEntry
  }
  const createReader = () => {
    const rest = children?.map((child) => entryOf(child, fullPath)) ?? null
    return {
      readEntries(batch: (entries: FileSystemEntry[]) => void, fail: (error: Error) => void) {
        if (rest === null) fail(new Error(`cannot read ${fullPath.slice(1)}`))
        else batch(rest.splice(0, batchSize))
      },
    }
  }
  return { ...facts, createReader } as unknown as FileSystemEntry
}
