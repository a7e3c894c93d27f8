import type { Did } from '@atcute/lexicons/syntax'
import type { BlockMap } from '@atcute/mst'
import { ExpiringTier } from '#concurrency/expiring-tier.ts'

/** A site of ten thousand files has some 700 nodes and parts. */
const bytesMax = 32 * 1024 * 1024
/** Our parts are no larger. */
const blockBytesMax = 16 * 1024
/** Of a block, besides its bytes. */
const bytesPerBlock = 256
/** Long enough for the record of a version to be read after its site. */
const ttlMs = 60_000

/**
 * Blocks that servers have sent within the last minute, of each account's repository by CID: the records of a site and
 * those of its version share nearly all of them. What a block proves, only a signed commit says.
 */
export class RecentBlocks {
  readonly #blocks: ExpiringTier<Uint8Array<ArrayBuffer>>

  constructor(elapsed?: () => number) {
    this.#blocks = new ExpiringTier({ bytesMax, ttlMs, ...(elapsed && { elapsed }) })
  }

  get(did: Did, cid: string): Uint8Array<ArrayBuffer> | undefined {
    return this.#blocks.get(`${did} ${cid}`)
  }

  /** The blocks must match their CIDs. */
  keep(did: Did, blocks: BlockMap): void {
    for (const [cid, bytes] of blocks) {
      // A copy: a block is a part of the answer that brought it.
      if (bytes.length > blockBytesMax) continue
      const size = { bytes: bytes.length + bytesPerBlock, owner: did }
      this.#blocks.set(`${did} ${cid}`, bytes.slice(), size)
    }
  }

  forget(did: Did): void {
    this.#blocks.deleteOwner(did)
  }
}
