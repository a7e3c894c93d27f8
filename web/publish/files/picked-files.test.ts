import { describe, expect, test } from 'bun:test'
import { filesOfEntries } from './picked-files.ts'

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

  test('reads a folder that comes in batches, and tells how far it is', async () => {
    const many = Array.from({ length: 250 }, (_, i) => file(`${i}.txt`))
    const counts: number[] = []
    const entries = [entryOf(folder('a', ...many), '')]
    expect(await filesOfEntries(entries, { onFound: (n) => counts.push(n) })).toHaveLength(250)
    expect(counts).toEqual([250])
  })

  test('does not look into folders that are left out', async () => {
    const forbidden: Node = { name: 'node_modules', children: null }
    expect(await pathsOf(folder('a', file('x'), forbidden))).toEqual(['a/x', 'a/node_modules'])
  })

  test('fails when a folder cannot be read', async () => {
    const unreadable: Node = { name: 'locked', children: null }
    await expect(pathsOf(folder('a', unreadable))).rejects.toThrow('could not be read')
  })
})

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
