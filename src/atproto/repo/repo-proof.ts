import { createHash } from 'node:crypto'
import * as Car from '@atcute/car'
import * as Cbor from '@atcute/cbor'
import * as Cid from '@atcute/cid'
import type { PublicKey } from '@atcute/crypto'
import { type Did, isTid } from '@atcute/lexicons/syntax'
import type { BlockMap } from '@atcute/mst'
import { type Commit, isCommit } from '@atcute/repo'
import { tidDigits } from '#site/version-key.ts'
import { decodeCbor } from './bounded-cbor.ts'

/** A commit signed by the account, with the blocks of the repository that the server sent. */
export interface RepoProof {
  /** Orders the commits of one repository. */
  readonly rev: string
  readonly tree: string
  /** By CID, each verified. Only blocks reachable from `tree` are covered by the signature. */
  readonly blocks: BlockMap
}

const blocksMax = 256
/** For an archive with one root; the length is then one byte. */
const carHeaderBytesMax = 127
/** How far a server's clock may be ahead of ours. */
const clockSkewMs = 5 * 60_000

/** Throws for a block that does not match its CID, and a commit of another account, unsigned, or of the future. */
export async function verifyCommit(
  car: Uint8Array<ArrayBuffer>,
  did: Did,
  publicKey: PublicKey,
  now: () => number = Date.now,
): Promise<RepoProof> {
  const { root, blocks } = readBlocks(car)
  const commit = commitOf(blocks.get(root), did)
  if (!(await isSigned(root, commit, publicKey))) throw new Error('signature does not match')
  // A commit from the future would outrank all later ones: the account's next server or key could not publish.
  if (millisecondsOf(commit.rev) > now() + clockSkewMs) throw new Error('dated in the future')
  return { rev: commit.rev, tree: commit.data.$link, blocks }
}

function readBlocks(car: Uint8Array<ArrayBuffer>): { root: string; blocks: BlockMap } {
  const reader = carReader(car)
  const root = reader.header.data.roots[0]?.$link
  if (root === undefined) throw new Error('no root')
  return { root, blocks: blocksOf(reader) }
}

/** The blocks of an archive, each verified. Throws for one that does not match its CID. */
export const readCar = (car: Uint8Array<ArrayBuffer>): BlockMap => blocksOf(carReader(car))

function carReader(car: Uint8Array<ArrayBuffer>) {
  if ((car[0] ?? 0) > carHeaderBytesMax) throw new Error('the header is too long')
  return Car.fromUint8Array(car)
}

function blocksOf(reader: ReturnType<typeof carReader>): BlockMap {
  const blocks: BlockMap = new Map()
  for (const { cid, bytes } of reader) {
    if (blocks.size === blocksMax) throw new Error('too many blocks')
    const digest = createHash('sha256').update(bytes).digest()
    if (!Cid.equals(Cid.fromDigest(Cid.CODEC_DCBOR, digest), cid)) {
      throw new Error('a block does not match its CID')
    }
    blocks.set(Cid.toString(cid), bytes as Uint8Array<ArrayBuffer>)
  }
  return blocks
}

function commitOf(bytes: Uint8Array | undefined, did: Did): Commit {
  if (bytes === undefined) throw new Error('no commit')
  const commit: unknown = decodeCbor(bytes)
  if (!isCommit(commit)) throw new Error('root is not a commit')
  if (commit.did !== did) throw new Error('commit of another account')
  if (!isTid(commit.rev)) throw new Error('the revision is not a TID')
  return commit
}

/** Since the epoch; a TID is microseconds followed by two digits of clock id (https://atproto.com/specs/tid). */
function millisecondsOf(tid: string): number {
  const microseconds = [...tid.slice(0, -2)].reduce(
    (sum, digit) => sum * tidDigits.length + tidDigits.indexOf(digit),
    0,
  )
  return microseconds / 1000
}

const lastOf = new WeakMap<
  PublicKey,
  { readonly cid: string; readonly isSigned: Promise<boolean> }
>()

// All records of a site are proven by one commit, and verifying a secp256k1 signature takes 1 ms. The verified
// CID identifies the commit including its signature.
function isSigned(
  cid: string,
  { sig, ...unsigned }: Commit,
  publicKey: PublicKey,
): Promise<boolean> {
  const last = lastOf.get(publicKey)
  if (last?.cid === cid) return last.isSigned
  const isSigned = publicKey.verify(Cbor.fromBytes(sig), Cbor.encode(unsigned))
  lastOf.set(publicKey, { cid, isSigned })
  return isSigned
}
