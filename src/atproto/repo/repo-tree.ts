import { type BlockMap, getKeyHeight, MSTNode } from '@atcute/mst'
import { endOfCbor } from './bounded-cbor.ts'

export const nodeBytesMax = 64 * 1024

export type Blocks = Pick<BlockMap, 'get'>

/** The entry at a path of a partial tree; `missing`: the CID of a block on the path that is not there. */
export type TreeEntry = { readonly cid: string } | 'absent' | { readonly missing: string }

/**
 * A repository's tree (https://atproto.com/specs/repository). `blocks` must match their CIDs; only those reachable from
 * `root` are read, and more may come. Each node is parsed once.
 */
export class RepoTree {
  readonly #root: string
  readonly #blocks: Blocks
  readonly #nodes = new Map<string, MSTNode>()

  constructor(root: string, blocks: Blocks) {
    this.#root = root
    this.#blocks = blocks
  }

  /** Throws when a node on the path is not a valid one. */
  async find(path: string): Promise<TreeEntry> {
    const pathHeight = await getKeyHeight(path)
    let height: number | null = null
    for (let cid = this.#root; ; ) {
      const node = await this.#nodeAt(cid)
      if (node === null) return { missing: cid }
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

  async #nodeAt(cid: string): Promise<MSTNode | null> {
    const known = this.#nodes.get(cid)
    if (known !== undefined) return known
    const bytes = this.#blocks.get(cid)
    // No server writes nodes this large, and parsing one takes many times its size in memory.
    if (bytes === undefined || bytes.length > nodeBytesMax) return null
    if (endOfCbor(bytes) !== bytes.length) throw new Error('a node is not CBOR')
    const node = await MSTNode.deserialize(bytes)
    this.#nodes.set(cid, node)
    return node
  }
}

/** A node is one level below its parent; a node without keys has no height of its own. */
async function heightOf(node: MSTNode, above: number | null): Promise<number> {
  const height = await node.height()
  const expected = above === null ? height : above - 1
  if (expected === null) throw new Error('the height of the tree is unknown')
  if (height !== null && height !== expected) throw new Error('a node is at the wrong height')
  return expected
}
