import type { Coding } from '#site/encoding.ts'
import { type BlobKey, blobKeyOf, blobKeyText } from '#site/record/blob-key.ts'
import type { BlobRef } from '#site/record/blob-ref.ts'
import type { Directory, FileNode } from '#site/record/manifest.ts'
import type { AccountRecords } from '#site/record/plan-writes.ts'
import type { Did } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import { findBlobs } from '#store/sites/blobs.ts'
import { hashesHeld } from '#store/sites/held-blobs.ts'
import { findUploadedBlobs } from '#store/sites/uploaded-blobs.ts'

/** A blob that the account already has, in any stored form. */
export interface ReusableBlob {
  readonly blob: BlobRef
  readonly coding: Coding
  readonly base64: boolean
}

/**
 * Blobs with the wanted contents, by SHA-256 of the content: those that the account's records reference and that its
 * snapshots name, whichever program compressed them, else those that an earlier attempt sent.
 */
export async function findReusableBlobs(
  did: Did,
  records: AccountRecords,
  wanted: readonly string[],
  db: Db,
  unlisted: Iterable<FileNode> = [],
): Promise<Map<string, ReusableBlob>> {
  const reusable = new Map<string, ReusableBlob>()
  for (const uploaded of await findUploadedBlobs(db, did, wanted)) {
    reusable.set(uploaded.decodedHash, uploaded)
  }
  const named = namedBlobs(records, unlisted)
  const isWanted = new Set(wanted)
  const known = (await findBlobs(db, [...named.values()])).filter(({ decodedHash }) =>
    isWanted.has(decodedHash),
  )
  // Its server can list records that name any CID: the account would learn what others store here.
  const held = await hashesHeld(db, did, known)
  for (const { hash, decodedHash, ...key } of known) {
    const blob = named.get(blobKeyText(key))
    if (blob !== undefined && held.has(hash)) reusable.set(decodedHash, blob)
  }
  return reusable
}

interface NamedBlob extends ReusableBlob, BlobKey {}

function namedBlobs(
  { sites, parts, versions }: AccountRecords,
  unlisted: Iterable<FileNode>,
): Map<string, NamedBlob> {
  const named = new Map<string, NamedBlob>()
  const roots = [
    ...[...sites.values(), ...parts.values()].map(({ root }) => root),
    ...Array.from(versions.values(), ({ version }) => version?.root ?? null),
  ]
  const add = (node: FileNode): void => {
    const blob: NamedBlob = { ...blobKeyOf(node), blob: node.blob }
    if (isWritable(blob)) named.set(blobKeyText(blob), blob)
  }
  for (const root of roots) for (const node of root === null ? [] : filesIn(root)) add(node)
  for (const node of unlisted) add(node)
  return named
}

function* filesIn(root: Directory): Generator<FileNode> {
  const waiting = [root]
  // The list grows during iteration.
  for (const { entries } of waiting) {
    for (const { node } of entries) {
      if (node.type === 'directory') waiting.push(node)
      if (node.type === 'file') yield node
    }
  }
}

// interface.md §2.3: a compressed file's blob has this type. Other programs may have written another.
const isWritable = ({ coding, blob }: ReusableBlob): boolean =>
  coding === 'identity' || blob.mimeType === 'application/octet-stream'
