import type { Coding } from '#site/encoding.ts'
import { type BlobKey, blobKeyOf, blobKeyText } from '#site/record/blob-key.ts'
import type { BlobRef } from '#site/record/blob-ref.ts'
import type { Directory, FileNode } from '#site/record/manifest.ts'
import type { AccountRecords } from '#site/record/plan-writes.ts'
import type { Did } from '#site/site-address.ts'
import { hashesNamedIn } from '#site/visit/named-hashes.ts'
import type { Db } from '#store/database/database.ts'
import { findBlobs, type KnownBlob } from '#store/sites/blobs.ts'
import { snapshotsOf } from '#store/sites/snapshot-pages.ts'
import { findUploadedBlobs } from '#store/sites/uploaded-blobs.ts'

/** Of an account's snapshots, read to find out what it has; contents that only later ones name are sent again. */
const snapshotCharsMax = 256 * 1024 * 1024

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
): Promise<Map<string, ReusableBlob>> {
  const reusable = new Map<string, ReusableBlob>()
  for (const uploaded of await findUploadedBlobs(db, did, wanted)) {
    reusable.set(uploaded.decodedHash, uploaded)
  }
  const named = namedBlobs(records)
  const isWanted = new Set(wanted)
  const known = (await findBlobs(db, [...named.values()])).filter(({ decodedHash }) =>
    isWanted.has(decodedHash),
  )
  const held = await hashesHeld(did, known, db)
  for (const { hash, decodedHash, ...key } of known) {
    const blob = named.get(blobKeyText(key))
    if (blob !== undefined && held.has(hash)) reusable.set(decodedHash, blob)
  }
  return reusable
}

/**
 * The hashes of those of these blobs that the account's snapshots name. Its server can list records that name any CID,
 * so that without this an account would learn what others store here.
 */
async function hashesHeld(
  did: Did,
  blobs: readonly KnownBlob[],
  db: Db,
): Promise<ReadonlySet<string>> {
  const open = new Set(blobs.map(({ hash }) => hash))
  const held = new Set<string>()
  if (open.size === 0) return held
  let chars = 0
  for await (const snapshot of snapshotsOf(db, did)) {
    chars += snapshot.length
    if (chars > snapshotCharsMax) break
    for (const hash of hashesNamedIn(snapshot)) if (open.delete(hash)) held.add(hash)
    if (open.size === 0) break
  }
  return held
}

interface NamedBlob extends ReusableBlob, BlobKey {}

function namedBlobs({ sites, parts, versions }: AccountRecords): Map<string, NamedBlob> {
  const named = new Map<string, NamedBlob>()
  const roots = [
    ...[...sites.values(), ...parts.values()].map(({ root }) => root),
    ...Array.from(versions.values(), ({ version }) => version?.root ?? null),
  ]
  for (const root of roots) {
    for (const node of root === null ? [] : filesIn(root)) {
      const blob: NamedBlob = { ...blobKeyOf(node), blob: node.blob }
      if (isWritable(blob)) named.set(blobKeyText(blob), blob)
    }
  }
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
