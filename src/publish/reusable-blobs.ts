import type { Coding } from '#site/encoding.ts'
import { type BlobKey, blobKeyOf, blobKeyText } from '#site/record/blob-key.ts'
import type { BlobRef } from '#site/record/blob-ref.ts'
import type { Directory, FileNode } from '#site/record/manifest.ts'
import type { AccountRecords } from '#site/record/plan-writes.ts'
import type { Did } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import { findBlobs } from '#store/sites/blobs.ts'
import { findUploadedBlobs } from '#store/sites/uploaded-blobs.ts'

/** A blob that the account already has, in any stored form. */
export interface ReusableBlob {
  readonly blob: BlobRef
  readonly coding: Coding
  readonly base64: boolean
}

/**
 * By the SHA-256 of their content, the blobs that the account's current records reference and whose content we have
 * verified, whichever program compressed them; then blobs that an earlier attempt sent and no record references yet.
 * Only for the contents that are wanted.
 */
export async function findReusableBlobs(
  did: Did,
  records: AccountRecords,
  wanted: readonly string[],
  db: Db,
): Promise<Map<string, ReusableBlob>> {
  const reusable = new Map<string, ReusableBlob>()
  for (const uploaded of await findUploadedBlobs(db, did, wanted)) {
    reusable.set(uploaded.decodedHash, uploaded)
  }
  const named = namedBlobs(records)
  const isWanted = new Set(wanted)
  for (const known of await findBlobs(db, [...named.values()])) {
    const blob = named.get(blobKeyText(known))
    if (blob !== undefined && isWanted.has(known.decodedHash)) {
      reusable.set(known.decodedHash, blob)
    }
  }
  return reusable
}

interface NamedBlob extends ReusableBlob, BlobKey {}

function namedBlobs({ sites, parts }: AccountRecords): Map<string, NamedBlob> {
  const named = new Map<string, NamedBlob>()
  for (const { root } of [...sites.values(), ...parts.values()]) {
    for (const node of root === null ? [] : filesIn(root)) {
      const blob: NamedBlob = { ...blobKeyOf(node), blob: node.blob }
      if (isWritable(blob)) named.set(blobKeyText(blob), blob)
    }
  }
  return named
}

function* filesIn(root: Directory): Generator<FileNode> {
  const waiting = [root]
  // the list grows while it is walked
  for (const { entries } of waiting) {
    for (const { node } of entries) {
      if (node.type === 'directory') waiting.push(node)
      if (node.type === 'file') yield node
    }
  }
}

// interface.md §2.3: a compressed file's blob is of this type. Other programs may have written others.
const isWritable = ({ coding, blob }: ReusableBlob): boolean =>
  coding === 'identity' || blob.mimeType === 'application/octet-stream'
