import { beforeAll, describe, expect, test } from 'bun:test'
import * as Cbor from '@atcute/cbor'
import {
  type BlockMap,
  findRpathAndBuildProof,
  getKeyHeight,
  MemoryBlockStore,
  NodeStore,
  NodeWrangler,
} from '@atcute/mst'
import { RepoTree, type TreeEntry } from '#atproto/repo/repo-tree.ts'
import { encodeRecord, linkOf } from '#tests/support/servers/fake-pds.ts'

const sites = ['place.sitehost.fs', 'place.sitehost.settings']
const path = (n: number): string => `${sites[n % 2]}/site${n}`
const records = 60

let root: string
let nodes: BlockMap
const cids = new Map<string, string>()
beforeAll(async () => {
  const store = new MemoryBlockStore()
  const tree = new NodeWrangler(new NodeStore(store))
  let data: string | null = null
  for (let n = 0; n < records; n++) {
    const link = await linkOf(encodeRecord({ n }))
    cids.set(path(n), link.$link)
    data = await tree.putRecord(data, path(n), link)
  }
  root = data ?? ''
  nodes = store.blocks
})

const findInTree = (root: string, blocks: BlockMap, at: string) =>
  new RepoTree(root, blocks).find(at)
const find = (at: string, blocks = nodes) => findInTree(root, blocks, at)
/** With everything that is not there next to it. */
const everyPath = (): string[] =>
  Array.from({ length: records }, (_, n) => [path(n), `${path(n)}.`, `${path(n)}0`]).flat()

test('a record that is there, by its CID, and one that is not', async () => {
  for (const at of everyPath()) {
    const cid = cids.get(at)
    expect(await find(at)).toEqual(cid === undefined ? 'absent' : { cid })
  }
})

test('the nodes of its proof, as others make it, suffice, whether it is there or not', async () => {
  const store = new NodeStore(new MemoryBlockStore(nodes))
  for (const at of everyPath()) {
    const [, proof] = await findRpathAndBuildProof(store, root, at)
    const given = new Map([...nodes].filter(([cid]) => proof.has(cid)))
    expect([at, await find(at, given)]).toEqual([at, await find(at)])
  }
})

test('an empty tree has no entries', async () => {
  const node = Cbor.encode({ l: null, e: [] })
  const { $link } = await linkOf(node)
  expect(await findInTree($link, new Map([[$link, node]]), path(0))).toBe('absent')
})

test('without any one of its nodes: the truth, or which node is missing', async () => {
  const whole = await Promise.all(everyPath().map((at) => find(at)))
  for (const missing of await nodesRead()) {
    const left = new Map([...nodes].filter(([cid]) => cid !== missing))
    const answers = await Promise.all(everyPath().map((at) => find(at, left)))
    expect(answers).toContainEqual({ missing })
    const isUnknown = (answer: TreeEntry) => typeof answer === 'object' && 'missing' in answer
    expect(answers.map((answer, i) => (isUnknown(answer) ? whole[i] : answer))).toEqual(whole)
  }
})

test('what would be in the node at hand, by its height, is not looked for below it', async () => {
  const key = await keyAt(1, (n) => `zz.zz/z${n}`)
  const below = await linkOf(encodeRecord({ l: null, e: [] }))
  const v = await linkOf(encodeRecord({}))
  const top = encodeRecord({
    l: below,
    e: [{ k: Cbor.toBytes(Buffer.from(key)), p: 0, t: null, v }],
  })
  const { $link } = await linkOf(top)
  const blocks = new Map([[$link, top]])
  expect(await findInTree($link, blocks, await keyAt(1, path))).toBe('absent')
  expect(await findInTree($link, blocks, await keyAt(2, path))).toBe('absent')
  expect(await findInTree($link, blocks, await keyAt(0, path))).toEqual({ missing: below.$link })
})

test('unreachable nodes do not count', async () => {
  const stray = Cbor.encode({ l: null, e: [] })
  const cid = (await linkOf(stray)).$link
  const blocks = new Map([[cid, stray]])
  expect(await find(path(0), blocks)).toEqual({ missing: root })
})

describe('is invalid', () => {
  const refused = async (bytes: Uint8Array<ArrayBuffer>, reason: string): Promise<void> => {
    const { $link } = await linkOf(bytes)
    const finding = findInTree($link, new Map([[$link, bytes]]), path(0))
    await expect(finding).rejects.toThrow(reason)
  }
  const entry = async (key: string, p = 0) => ({
    k: Cbor.toBytes(Buffer.from(key)),
    p,
    t: null,
    v: await linkOf(new Uint8Array()),
  })

  test('blocks that are no nodes', async () => {
    await refused(Cbor.encode({ l: null }), 'invalid structure')
    await refused(new Uint8Array([0xff]), 'not CBOR')
    await refused(new Uint8Array([0x80, 0x80]), 'a node is not CBOR')
  })
  test('with keys in another order than theirs', async () => {
    const e = [await entry('place.sitehost.fs/b'), await entry('place.sitehost.fs/a')]
    await refused(encodeRecord({ l: null, e }), 'malformed')
  })
  test('with a node at another height than its place', async () => {
    const below = nodes.get(root) as Uint8Array<ArrayBuffer>
    const key = await keyAt(1, (n) => `zz.zz/z${n}`)
    const top = encodeRecord({ l: { $link: root }, e: [await entry(key)] })
    const { $link } = await linkOf(top)
    const blocks = new Map([
      [$link, top],
      [root, below],
    ])
    await expect(findInTree($link, blocks, await keyAt(0, path))).rejects.toThrow('height')
  })
})

/** The first of these keys that is at this height of any tree. */
async function keyAt(height: number, keyOf: (n: number) => string): Promise<string> {
  for (let n = 0; ; n++) if ((await getKeyHeight(keyOf(n))) === height) return keyOf(n)
}

/** Those of the tree; there are others, of what it was before. */
async function nodesRead(): Promise<Set<string>> {
  const read = new Set<string>()
  const watched: BlockMap = new Map(nodes)
  watched.get = (cid) => {
    read.add(cid)
    return nodes.get(cid)
  }
  for (const at of everyPath()) await find(at, watched)
  return read
}
