import type { Coding } from '#site/encoding.ts'
import type { FileNode } from './manifest.ts'

/** A blob and its coding in a manifest: the same CID may be referenced with several codings. */
export interface BlobKey {
  readonly cid: string
  readonly coding: Coding
  readonly base64: boolean
}

export const blobKeyOf = ({ blob, encoding, base64 }: FileNode): BlobKey => ({
  cid: blob.ref.$link,
  coding: encoding ?? 'identity',
  base64: base64 ?? false,
})

/** Equal for equal keys. */
export const blobKeyText = ({ cid, coding, base64 }: BlobKey): string =>
  `${cid} ${coding} ${base64}`
