import { type Cid, CODEC_RAW, fromCidLink, isCidLink, toString as writeCid } from '@atcute/cid'
import { mediaTypeCharsMax } from '#http/media-type.ts'
import { blobBytesMax } from '#site/limits.ts'
import { ownField } from './own-fields.ts'

/** A blob of the owner's repository, in the JSON form of the protocol. */
export interface BlobRef {
  readonly $type: 'blob'
  readonly ref: { readonly $link: string }
  readonly mimeType: string
  /** Of the stored bytes. */
  readonly size: number
}

export type BlobRefResult =
  | { readonly ok: true; readonly blob: BlobRef }
  | { readonly ok: false; readonly problem: string }

/** Accepts only raw CIDs with SHA-256, as strings or decoded from CBOR: they make the bytes verifiable. Never throws. */
export function readBlobRef(raw: unknown): BlobRefResult {
  if (ownField(raw, '$type') !== 'blob') return bad('has no blob')
  const mimeType = ownField(raw, 'mimeType')
  if (typeof mimeType !== 'string') return bad('has a blob without a media type')
  if (mimeType.length > mediaTypeCharsMax) return bad(longMediaType)
  const size = ownField(raw, 'size')
  if (!isBlobSize(size)) return bad(`has a blob whose size is not 0 to ${blobBytesMax} bytes`)
  const link = readRawLink(ownField(raw, 'ref'))
  if (link === null) return bad('has a blob whose CID is not one of raw bytes')
  return { ok: true, blob: { $type: 'blob', ref: { $link: link }, mimeType, size } }
}

const bad = (problem: string): BlobRefResult => ({ ok: false, problem })

const longMediaType = `has a blob with a media type of more than ${mediaTypeCharsMax} characters`

function isBlobSize(size: unknown): size is number {
  return Number.isInteger(size) && Number(size) >= 0 && Number(size) <= blobBytesMax
}

function readRawLink(ref: unknown): string | null {
  if (!isCidLink(ref)) return null
  let cid: Cid
  try {
    cid = fromCidLink(ref)
  } catch {
    return null // not a CID, or one of a kind the protocol does not use
  }
  return cid.codec === CODEC_RAW ? writeCid(cid) : null
}
