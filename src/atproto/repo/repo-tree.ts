import { type BlockMap, getKeyHeight, MSTNode } from '@atcute/mst'
import { endOfCbor } from './bounded-cbor.ts'

const nodeBytesMax = 64 * 1024

/** The entry at a path of a partial tree; `unknown`: a block on the path is missing. */
export type TreeEntry = { readonly cid: string } | 'absent' | 'unknown'

/**
 * Looks up a path in a repository's tree (https://atproto.com/specs/repository). `blocks` must match their CIDs; only
 * those reachable from `root` are read. Throws when one of these is not a valid node.
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
    // A key's hash determines its height: a proof of absence need not include nodes below it.
    if (below === null || height <= pathHeight) return 'absent'
    cid = below.$link
  }
}

async function nodeOf(bytes: Uint8Array<ArrayBuffer> | undefined): Promise<MSTNode | null> {
  // No server writes nodes this large, and parsing one takes many times its size in memory.
  if (bytes === undefined || bytes.length > nodeBytesMax) return null
  if (endOfCbor(bytes) !== bytes.length) throw new Error('a node is not CBOR')
  return await MSTNode.deserialize(bytes)
}

/** A node is one level below its parent; a node without keys has no height of its own. */
async function heightOf(node: MSTNode, above: number | null): Promise<number> {
  const height = await node.height()
  const expected = above === null ? height : above - 1
  if (expected === null) throw new Error('the height of the tree is unknown')
  if (height !== null && height !== expected) throw new Error('a node is at the wrong height')
  return expected
}
