import type { Coding } from '#site/encoding.ts'
import type { FileNode } from './manifest.ts'

/**
 * A blob of a repository, and how a manifest says to read it: the same CID may be named with
 * several codings.
 */
export interface BlobKey {
  readonly cid: string
  readonly coding: Coding
  readonly base64: boolean
}

/** The blob that a file names, with what counts where its node says nothing. */
export const blobKeyOf = ({ blob, encoding, base64 }: FileNode): BlobKey => ({
  cid: blob.ref.$link,
  coding: encoding ?? 'identity',
  base64: base64 ?? false,
})

/** The same text for the same key. */
export const blobKeyText = ({ cid, coding, base64 }: BlobKey): string =>
  `${cid} ${coding} ${base64}`
