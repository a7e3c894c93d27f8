import type { BlockMap } from '@atcute/mst'
import type { Identity } from '#atproto/identity/identity.ts'
import { timeSlices } from '#concurrency/yield-event-loop.ts'
import { FetchLimitError, type SafeFetch } from '#outbound/safe-fetch.ts'
import type { RecentBlocks } from './recent-blocks.ts'
import { type RepoProof, readCar } from './repo-proof.ts'
import { nodeBytesMax, RepoTree, type TreeEntry } from './repo-tree.ts'
import {
  orProofError,
  pathOf,
  type RecordKey,
  type VerifiedRecord,
  verifiedRecord,
} from './verified-record.ts'
import { xrpcPath } from './xrpc-path.ts'

/** Blocks of one request: its address has 7 kB. */
const blocksAtOnce = 100
/** A hundred of our parts have 1.6 MB, the largest of other programs 7 MB. */
const answerBytesMax = 8 * 1024 * 1024
/** Nodes that are kept while records are read. Those of a site of ten thousand files have 100 kB. */
const nodesBytesMax = 1024 * 1024
/** Of fewer records, each is read alone: then the nodes on the way to them take no fewer requests. */
const recordsMin = 8

interface CommitContext {
  readonly fetch: SafeFetch
  readonly signal: AbortSignal
  /** Left out: nothing is used again. */
  readonly recentBlocks?: RecentBlocks | undefined
}

/**
 * Records of one signed commit, many at a time. Instead of a proof for each it reads the nodes of the tree that are not
 * known yet, level by level, and then the records, a hundred in a request (`com.atproto.sync.getBlocks`).
 */
export class CommitRecords {
  readonly #identity: Pick<Identity, 'did' | 'pds'>
  readonly #context: CommitContext
  /** The revision of the commit. */
  readonly rev: string
  /** CID of the commit's tree: the same tree has the same records. */
  readonly treeCid: string
  readonly #tree: RepoTree
  readonly #nodes: BlockMap = new Map()
  #nodesBytes = 0
  /** False once the server has not sent what it was asked for. */
  #sendsBlocks = true

  constructor(
    { rev, tree, blocks }: RepoProof,
    identity: Pick<Identity, 'did' | 'pds'>,
    context: CommitContext,
  ) {
    this.#identity = identity
    this.#context = context
    this.rev = rev
    this.treeCid = tree
    this.#tree = new RepoTree(tree, { get: (cid) => this.#nodes.get(cid) ?? this.#recent(cid) })
    this.#keep(blocks)
    context.recentBlocks?.keep(identity.did, blocks)
  }

  /**
   * Each of these records, or null where it has to be read alone: there are few, the server does not send blocks, or the
   * repository has changed since the commit. Throws ProofError and what SafeFetch throws.
   */
  async *read<Key extends RecordKey>(
    keys: readonly Key[],
  ): AsyncGenerator<readonly [Key, VerifiedRecord | null]> {
    const byCid = new Map<string, Key[]>()
    for (const [key, entry] of await this.#locate(keys)) {
      if (entry === 'absent') yield [key, { found: false, rev: this.rev }]
      else if ('missing' in entry) yield [key, null]
      else byCid.set(entry.cid, [...(byCid.get(entry.cid) ?? []), key])
    }
    const cids = [...byCid.keys()]
    for (let at = 0; at < cids.length; at += blocksAtOnce) {
      const some = cids.slice(at, at + blocksAtOnce)
      const blocks = await this.#fetch(some.filter((cid) => this.#recent(cid) === undefined))
      for (const cid of some) {
        const bytes = blocks.get(cid) ?? this.#recent(cid)
        for (const key of byCid.get(cid) ?? []) {
          yield [key, bytes === undefined ? null : verifiedRecord(this.rev, cid, bytes)]
        }
      }
    }
  }

  /** The CIDs of those of these records that the known nodes lead to, and those that it is worth reading for that. */
  async cidsOf<Key extends RecordKey>(keys: readonly Key[]): Promise<ReadonlyMap<Key, string>> {
    const cids = new Map<Key, string>()
    for (const [key, entry] of await this.#locate(keys)) {
      if (entry !== 'absent' && 'cid' in entry) cids.set(key, entry.cid)
    }
    return cids
  }

  async #locate<Key extends RecordKey>(keys: readonly Key[]): Promise<ReadonlyMap<Key, TreeEntry>> {
    const yieldWhenDue = timeSlices()
    const entries = new Map<Key, TreeEntry>()
    const asked = new Set<string>()
    for (let open = keys; ; ) {
      const missing = new Map<Key, string>()
      for (const key of open) {
        const entry = await orProofError(key, this.#tree.find(pathOf(key)))
        entries.set(key, entry)
        if (entry !== 'absent' && 'missing' in entry) missing.set(key, entry.missing)
        await yieldWhenDue()
      }
      open = [...missing.keys()]
      const unasked = new Set([...missing.values()].filter((cid) => !asked.has(cid)))
      if (keys.length < recordsMin || unasked.size === 0 || !this.#sendsBlocks) return entries
      const wanted = [...unasked].slice(0, blocksAtOnce)
      for (const cid of wanted) asked.add(cid)
      this.#keep(await this.#fetch(wanted))
    }
  }

  #recent(cid: string): Uint8Array<ArrayBuffer> | undefined {
    return this.#context.recentBlocks?.get(this.#identity.did, cid)
  }

  /** Copies: a block is a part of the answer that brought it. */
  #keep(blocks: BlockMap): void {
    for (const [cid, bytes] of blocks) {
      if (bytes.length > nodeBytesMax || this.#nodesBytes + bytes.length > nodesBytesMax) continue
      this.#nodesBytes += bytes.length
      this.#nodes.set(cid, bytes.slice())
    }
  }

  /** At most `blocksAtOnce`; none when the server does not send them all. */
  async #fetch(cids: readonly string[]): Promise<BlockMap> {
    if (cids.length === 0 || !this.#sendsBlocks) return new Map()
    const blocks = await this.#ask(cids).catch((error) => {
      if (error instanceof FetchLimitError && error.limit === 'bytes') return null
      throw error
    })
    this.#sendsBlocks = blocks !== null && cids.every((cid) => blocks.has(cid))
    if (blocks === null) return new Map()
    this.#context.recentBlocks?.keep(this.#identity.did, blocks)
    return blocks
  }

  async #ask(cids: readonly string[]): Promise<BlockMap | null> {
    const { fetch, signal } = this.#context
    const { did, pds } = this.#identity
    const path = xrpcPath('com.atproto.sync.getBlocks', { did, cids })
    const limits = { responseBytesMax: answerBytesMax }
    const response = await fetch(new URL(path, pds), { limits, signal })
    if (!response.ok) {
      // The error body may exceed the cap of bytes: ignored.
      await response.body?.cancel().catch(() => undefined)
      return null
    }
    const car = new Uint8Array(await response.arrayBuffer())
    try {
      return readCar(car)
    } catch {
      return null
    }
  }
}
