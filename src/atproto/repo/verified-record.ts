import type { PublicKey } from '@atcute/crypto'
import type { Did } from '@atcute/lexicons/syntax'
import type { Identity } from '#atproto/identity/identity.ts'
import { boundedRefusal } from '#outbound/answer-body.ts'
import type { SafeFetch } from '#outbound/safe-fetch.ts'
import { recordBytesMax } from '#site/limits.ts'
import { ownField } from '#site/record/own-fields.ts'
import { CborError, decodeCbor } from './bounded-cbor.ts'
import { type RepoProof, verifyCommit } from './repo-proof.ts'
import { RepoTree } from './repo-tree.ts'
import { xrpcPath } from './xrpc-path.ts'

/** The state of one record in the owner's signed commit. `rev` orders the states of one repository. */
export type VerifiedRecord =
  | {
      readonly found: true
      readonly rev: string
      readonly cid: string
      /** Size of the record in the repository. */
      readonly bytes: number
      readonly record: unknown
      /** Why the owner's record cannot be read; shown to the owner. */
      readonly problem: string | null
    }
  | { readonly found: false; readonly rev: string }

/** The server's proof is invalid: wrong key, account or record, damaged or missing blocks. */
export class ProofError extends Error {
  override readonly name = 'ProofError'
  readonly uri: string

  constructor(uri: string, reason: string, options?: ErrorOptions) {
    super(`proof refused; uri=${uri} reason=${reason}`, options)
    this.uri = uri
  }
}

/** The account's server did not send the proof. `code` is its XRPC error, e.g. `RepoTakendown`. */
export class RecordUnavailableError extends Error {
  override readonly name = 'RecordUnavailableError'
  readonly status: number
  readonly code: string | null

  constructor(uri: string, status: number, code: string | null, options?: ErrorOptions) {
    super(`record not available; uri=${uri} status=${status} reason=${code}`, options)
    this.status = status
    this.code = code
  }
}

export interface RecordKey {
  readonly did: Did
  readonly collection: string
  readonly rkey: string
}

/** A proof contains the record and the tree's path to it: a few small nodes of about four keys. */
const proofBytesMax = recordBytesMax + 1024 * 1024

/** Reads a record, or its absence, with proof. Throws ProofError, RecordUnavailableError and what SafeFetch throws. */
export async function readVerifiedRecord(
  key: Omit<RecordKey, 'did'>,
  identity: Identity,
  fetch: SafeFetch,
  signal?: AbortSignal,
): Promise<VerifiedRecord> {
  return (await readWithProof(key, identity, fetch, signal)).answer
}

interface ProvenRecord {
  readonly answer: VerifiedRecord
  readonly proof: RepoProof
}

/** As `readVerifiedRecord`, with the proof; `recordIn` reads other records from it. */
export async function readWithProof(
  { collection, rkey }: Omit<RecordKey, 'did'>,
  { did, pds, signingKey }: Identity,
  fetch: SafeFetch,
  signal?: AbortSignal,
): Promise<ProvenRecord> {
  const key = { did, collection, rkey }
  const response = await fetch(new URL(xrpcPath('com.atproto.sync.getRecord', key), pds), {
    limits: { responseBytesMax: proofBytesMax },
    ...(signal && { signal }),
  })
  if (!response.ok) {
    throw new RecordUnavailableError(uriOf(key), response.status, await errorCodeOf(response))
  }
  return await verifyProof(new Uint8Array(await response.arrayBuffer()), key, signingKey)
}

/**
 * Verifies a proof: every block against its CID, the commit against the key, and the path to the record through
 * blocks reachable from the signed commit. Throws ProofError only.
 */
export async function verifyProof(
  carBytes: Uint8Array<ArrayBuffer>,
  key: RecordKey,
  publicKey: PublicKey,
  now?: () => number,
): Promise<ProvenRecord> {
  const proof = await orProofError(key, verifyCommit(carBytes, key.did, publicKey, now))
  const answer = await recordIn(proof, key)
  if (answer === null) throw new ProofError(uriOf(key), 'missing block')
  return { answer, proof }
}

/** Another record of the same repository; null: a block is missing, so nothing is proven. Throws ProofError. */
export async function recordIn(
  { rev, tree, blocks }: RepoProof,
  key: RecordKey,
): Promise<VerifiedRecord | null> {
  const entry = await orProofError(key, new RepoTree(tree, blocks).find(pathOf(key)))
  if (entry === 'absent') return { found: false, rev }
  const bytes = 'cid' in entry ? blocks.get(entry.cid) : undefined
  return 'cid' in entry && bytes ? verifiedRecord(rev, entry.cid, bytes) : null
}

export const pathOf = ({ collection, rkey }: Omit<RecordKey, 'did'>): string =>
  `${collection}/${rkey}`

export const verifiedRecord = (rev: string, cid: string, bytes: Uint8Array): VerifiedRecord => ({
  ...({ found: true, rev, cid, bytes: bytes.byteLength } as const),
  ...decodeRecord(bytes),
})

export async function orProofError<Result>(key: RecordKey, work: Promise<Result>): Promise<Result> {
  try {
    return await work
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
    return { record: decodeCbor(bytes), problem: null }
  } catch (error) {
    const isTooLarge = error instanceof CborError && error.limit !== null
    const problem = isTooLarge ? `has ${error.message}` : 'is not DAG-CBOR'
    return { record: null, problem: `the record ${problem}` }
  }
}

const uriOf = ({ did, collection, rkey }: RecordKey): string => `at://${did}/${collection}/${rkey}`

async function errorCodeOf(response: Response): Promise<string | null> {
  const body: unknown = await boundedRefusal(response)
    .then((refusal) => refusal.json())
    .catch(() => null)
  const code = ownField(body, 'error')
  return typeof code === 'string' ? code : null
}
