import { type BlockMap, getKeyHeight, MSTNode } from '@atcute/mst'
import { endOfCbor } from './bounded-cbor.ts'

const nodeBytesMax = 64 * 1024

/** What is at a path of a tree of which some blocks are here; `unknown`: the way there leads through one that is not. */
export type TreeEntry = { readonly cid: string } | 'absent' | 'unknown'

/**
 * Looks up a path in a repository's tree (https://atproto.com/specs/repository), by its root. Blocks have to be
 * what their CIDs say; of them, only those that the root leads to are read. Throws when one of these is no
 * node of such a tree.
 */
export async function findInTree(root: string, blocks: BlockMap, path: string): Promise<TreeEntry> {
  const pathHeight = await getKeyHeight(path)
  let height: number | null = null
  for (let cid = root; ; ) {
    const node = await nodeOf(blocks.get(cid))
    if (node === null) return 'unknown'
    height = await heightOf(node, height)
    const at = node.lowerBound(path)
    const value = node.values[at]
    if (value !== undefined && node.keys[at] === path) return { cid: value.$link }
    const below = node.subtrees[at] ?? null
    // A key's hash says at which height it is: a server that proves its absence need not give what is below.
    if (below === null || height <= pathHeight) return 'absent'
    cid = below.$link
  }
}

async function nodeOf(bytes: Uint8Array<ArrayBuffer> | undefined): Promise<MSTNode | null> {
  // No server makes one so large; as a node it would take many times its size.
  if (bytes === undefined || bytes.length > nodeBytesMax) return null
  if (endOfCbor(bytes) !== bytes.length) throw new Error('a node is not CBOR')
  return await MSTNode.deserialize(bytes)
}

/** Each node is one below the one that leads to it; some have no keys of their own to tell it by. */
async function heightOf(node: MSTNode, above: number | null): Promise<number> {
  const height = await node.height()
  const expected = above === null ? height : above - 1
  if (expected === null) throw new Error('the height of the tree is not known')
  if (height !== null && height !== expected) throw new Error('a node is at another height')
  return expected
}
