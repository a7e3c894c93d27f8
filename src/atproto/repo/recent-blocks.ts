import type { Did } from '@atcute/lexicons/syntax'
import type { BlockMap } from '@atcute/mst'
import { TtlMap } from '#concurrency/lru-map.ts'

/** A site of ten thousand files has some 700 nodes and parts. */
const blocksMax = 2_048
/** Our parts are no larger; 32 MiB in all. */
const blockBytesMax = 16 * 1024
/** Long enough for the record of a version to be read after its site. */
const ttlMs = 60_000

/**
 * Blocks that servers have sent within the last minute, of each account's repository by CID: the records of a site and
 * those of its version share nearly all of them. What a block proves, only a signed commit says.
 */
export class RecentBlocks {
  readonly #blocks: TtlMap<string, Uint8Array<ArrayBuffer>>

  constructor(elapsed: () => number = () => performance.now()) {
    this.#blocks = new TtlMap({ max: blocksMax, ttlMs, now: elapsed })
  }

  get(did: Did, cid: string): Uint8Array<ArrayBuffer> | undefined {
    return this.#blocks.get(`${did} ${cid}`)
  }

  /** The blocks must match their CIDs. */
  keep(did: Did, blocks: BlockMap): void {
    for (const [cid, bytes] of blocks) {
      // A copy: a block is a part of the answer that brought it.
      if (bytes.length <= blockBytesMax) this.#blocks.set(`${did} ${cid}`, bytes.slice())
    }
  }

  clear(): void {
    this.#blocks.clear()
  }
}
