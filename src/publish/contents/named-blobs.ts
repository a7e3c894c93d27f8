import type { Coding } from '#site/encoding.ts'
import { type BlobKey, blobKeyOf, blobKeyText } from '#site/record/blob-key.ts'
import type { BlobRef } from '#site/record/blob-ref.ts'
import type { Directory, FileNode } from '#site/record/manifest.ts'
import type { AccountRecords } from '#site/record/plan-writes.ts'

/** A blob that the account already has, in any stored form. */
export interface ReusableBlob {
  readonly blob: BlobRef
  readonly coding: Coding
  readonly base64: boolean
}

export interface NamedBlob extends ReusableBlob, BlobKey {}

/** The blobs that an account's records name and a site may name again, by `blobKeyText`. */
export function namedBlobs(
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
