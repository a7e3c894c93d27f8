import * as Car from '@atcute/car'
import * as Cbor from '@atcute/cbor'
import * as Cid from '@atcute/cid'
import type { PublicKey } from '@atcute/crypto'
import { type Did, isTid } from '@atcute/lexicons/syntax'
import { type BlockMap, findRpathAndBuildProof, MemoryBlockStore, NodeStore } from '@atcute/mst'
import { type Commit, isCommit } from '@atcute/repo'
import { recordBytesMax } from '#site/limits.ts'
import type { Identity } from './identity.ts'
import type { SafeFetch } from './safe-fetch.ts'

/** What the owner's signed commit says about one record. `rev` orders the answers of one repository. */
export type VerifiedRecord =
  | {
      readonly found: true
      readonly rev: string
      readonly cid: string
      /** Null where there is a problem. */
      readonly record: unknown
      /** Why the record, though it is the owner's, cannot be read; a sentence for its owner. */
      readonly problem: string | null
    }
  | { readonly found: false; readonly rev: string }

/** The server's proof does not hold: wrong key, other account, other record, damaged or missing blocks. */
export class ProofError extends Error {
  override readonly name = 'ProofError'
  readonly uri: string

  constructor(uri: string, reason: string, options?: ErrorOptions) {
    super(`proof refused; uri=${uri} reason=${reason}`, options)
    this.uri = uri
  }
}

/** The account's server did not give the proof. `code` is its XRPC error, e.g. `RepoTakendown`. */
export class RecordUnavailableError extends Error {
  override readonly name = 'RecordUnavailableError'
  readonly status: number
  readonly code: string | null

  constructor(uri: string, status: number, code: string | null, options?: ErrorOptions) {
    super(`record not available; uri=${uri} status=${status} code=${code}`, options)
    this.status = status
    this.code = code
  }
}

export interface RecordKey {
  readonly did: Did
  readonly collection: string
  readonly rkey: string
}

/** A proof holds the record and the tree's path to it: a few small nodes. */
const proofBytesMax = recordBytesMax + 1024 * 1024

/**
 * Reads one record from its owner's server with the proof that it is (or is not) in the repository.
 * Throws ProofError, RecordUnavailableError and what SafeFetch throws.
 */
export async function readVerifiedRecord(
  { collection, rkey }: Omit<RecordKey, 'did'>,
  identity: Identity,
  fetch: SafeFetch,
  signal?: AbortSignal,
): Promise<VerifiedRecord> {
  const key = { did: identity.did, collection, rkey }
  const url = new URL('/xrpc/com.atproto.sync.getRecord', identity.pds)
  for (const [name, value] of Object.entries(key)) url.searchParams.set(name, value)
  const response = await fetch(url, {
    limits: { responseBytesMax: proofBytesMax },
    ...(signal && { signal }),
  })
  if (!response.ok) {
    throw new RecordUnavailableError(uriOf(key), response.status, await errorCodeOf(response))
  }
  return verifyProof(new Uint8Array(await response.arrayBuffer()), key, identity.signingKey)
}

/**
 * The same for a proof at hand. Every block is checked against its CID, the commit against the key, and
 * the way to the record goes only through blocks that the signed commit names. Throws ProofError only.
 */
export async function verifyProof(
  carBytes: Uint8Array<ArrayBuffer>,
  key: RecordKey,
  publicKey: PublicKey,
): Promise<VerifiedRecord> {
  try {
    const { root, blocks } = await readBlocks(carBytes)
    const commit = await verifyCommit(blocks.get(root), key.did, publicKey)
    const nodes = new NodeStore(new MemoryBlockStore(blocks))
    const path = `${key.collection}/${key.rkey}`
    const [link] = await findRpathAndBuildProof(nodes, commit.data.$link, path)
    if (link === null) return { found: false, rev: commit.rev }
    const bytes = blocks.get(link.$link)
    if (bytes === undefined) throw new Error('the record itself is missing')
    return { found: true, rev: commit.rev, cid: link.$link, ...decodeRecord(bytes) }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'unreadable'
    throw new ProofError(uriOf(key), reason, { cause })
  }
}

function decodeRecord(bytes: Uint8Array): { record: unknown; problem: string | null } {
  if (bytes.byteLength > recordBytesMax) {
    return { record: null, problem: `the record is larger than ${recordBytesMax} bytes` }
  }
  try {
    return { record: Cbor.decode(bytes), problem: null }
  } catch {
    return { record: null, problem: 'the record is not DAG-CBOR' }
  }
}

async function readBlocks(
  car: Uint8Array<ArrayBuffer>,
): Promise<{ root: string; blocks: BlockMap }> {
  const reader = Car.fromUint8Array(car)
  const root = reader.header.data.roots[0]?.$link
  if (root === undefined) throw new Error('no root')
  const blocks: BlockMap = new Map()
  for (const { cid, bytes } of reader) {
    const named = Cid.toString(cid)
    const actual = await Cid.create(Cid.CODEC_DCBOR, bytes)
    if (Cid.toString(actual) !== named) throw new Error('a block does not match its CID')
    blocks.set(named, bytes as Uint8Array<ArrayBuffer>)
  }
  return { root, blocks }
}

async function verifyCommit(
  bytes: Uint8Array | undefined,
  did: Did,
  publicKey: PublicKey,
): Promise<Commit> {
  if (bytes === undefined) throw new Error('no commit')
  const commit: unknown = Cbor.decode(bytes)
  if (!isCommit(commit)) throw new Error('root is not a commit')
  if (commit.did !== did) throw new Error('commit of another account')
  if (!isTid(commit.rev)) throw new Error('the revision is none')
  const { sig, ...unsigned } = commit
  const isSigned = await publicKey.verify(Cbor.fromBytes(sig), Cbor.encode(unsigned))
  if (!isSigned) throw new Error('signature does not match')
  return commit
}

const uriOf = ({ did, collection, rkey }: RecordKey): string => `at://${did}/${collection}/${rkey}`

async function errorCodeOf(response: Response): Promise<string | null> {
  const body: unknown = await response.json().catch(() => null)
  const isObject = typeof body === 'object' && body !== null && 'error' in body
  return isObject && typeof body.error === 'string' ? body.error : null
}
