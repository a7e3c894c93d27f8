import type { BlobStore } from '#blobs/blob-store.ts'
import type { SiteAddress } from '#site/site-address.ts'
import type { VersionKey } from '#site/version-key.ts'
import { hashesNamedIn } from '#site/visit/named-hashes.ts'
import { appendBlobChanges } from '#store/database/changes.ts'
import type { Db } from '#store/database/database.ts'
import type { WakeUps } from '#store/database/wake-ups.ts'
import { storedBytesOf } from '#store/sites/blobs.ts'
import { forgetStates } from '#store/sites/forget-states.ts'
import { removeVersionRecord } from '#store/sites/record-version-record.ts'
import { findVersionRecord, findVersionSnapshot } from '#store/sites/version-records.ts'
import { purgeUnnamed } from './blobs/purge-blobs.ts'

/** A version that its owner has forgotten. */
export type ForgottenVersion =
  /** Its record is not in the repository at revision `rev`. */
  | { readonly key: VersionKey; readonly rev: string }
  /** Id of a state of the site's record that no version record describes. */
  | { readonly stateId: string }

export interface ForgottenContent {
  readonly blobs: number
  /** Of these blobs, as they were stored. */
  readonly bytes: number
}

interface ForgetContext {
  readonly db: Db
  readonly blobs: Pick<BlobStore, 'delete'>
  readonly wakeUps: WakeUps
  readonly now: () => number
  readonly signal: AbortSignal
}

/**
 * Removes what is stored of a version: its rows, and the blobs that no other snapshot names. Visitors get none of it
 * within a second, and the edge drops its copies of these blobs. Reads every snapshot of the service.
 */
export async function forgetContent(
  site: SiteAddress,
  version: ForgottenVersion,
  context: ForgetContext,
): Promise<ForgottenContent> {
  const { db, now, wakeUps } = context
  const snapshots =
    'key' in version
      ? await removeRecord(site, version, context)
      : await forgetStates(db, site, { id: version.stateId }, now())
  wakeUps.notify('changes')
  const hashes = new Set(snapshots.flatMap((snapshot) => [...hashesNamedIn(snapshot)]))
  const stored = await storedBytesOf(db, [...hashes])
  const removed = await purgeUnnamed(hashes, context)
  await appendBlobChanges(db, removed, now())
  wakeUps.notify('changes')
  const bytes = removed.reduce((sum, hash) => sum + (stored.get(hash) ?? 0), 0)
  return { blobs: removed.length, bytes }
}

/** Returns the snapshots that named its content. */
async function removeRecord(
  site: SiteAddress,
  { key, rev }: { readonly key: VersionKey; readonly rev: string },
  { db, now }: ForgetContext,
): Promise<string[]> {
  const record = { did: site.did, key }
  const manifest = (await findVersionRecord(db, record))?.manifest ?? null
  const snapshot = await findVersionSnapshot(db, record)
  await removeVersionRecord(db, record, rev, now())
  const states =
    manifest === null ? [] : await forgetStates(db, site, { recordCid: manifest }, now())
  return snapshot === null ? states : [snapshot, ...states]
}
