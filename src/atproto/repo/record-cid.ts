import { createHash } from 'node:crypto'
import { encode } from '@atcute/cbor'
import * as Cid from '@atcute/cid'

/** The CID that a server gives this record, in the JSON form of the protocol (CIDv1, DAG-CBOR). */
export function recordCid(record: object): string {
  const digest = createHash('sha256').update(encode(record)).digest()
  return Cid.toString(Cid.fromDigest(Cid.CODEC_DCBOR, digest))
}
