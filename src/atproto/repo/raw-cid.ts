import * as Cid from '@atcute/cid'

/** The CID of a blob with this SHA-256 digest (CIDv1, raw codec). */
export function rawCid(sha256: Uint8Array): string {
  return Cid.toString(Cid.fromDigest(Cid.CODEC_RAW, sha256))
}
