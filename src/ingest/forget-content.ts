import type { BlobStore } from '#blobs/blob-store.ts'
import type { SiteAddress } from '#site/site-address.ts'
import type { VersionKey } from '#site/version-key.ts'
import { findBlobsByHash } from '#store/blobs/blobs.ts'
import { forgetReceived } from '#store/blobs/received-blobs.ts'
import { forgetUploadedBlobs } from '#store/blobs/uploaded-blobs.ts'
import { appendBlobChanges } from '#store/database/changes.ts'
import { clearLog } from '#store/database/clear-log.ts'
import type { Db } from '#store/database/database.ts'
import type { WakeUps } from '#store/database/wake-ups.ts'
import { forgetStates } from '#store/sites/forget-states.ts'
import {
  beginForget,
  dropUnfinishedForgets,
  finishForget,
  listUnfinishedForgets,
  type UnfinishedForget,
} from '#store/sites/unfinished-forgets.ts'
import { removeVersionRecord } from '#store/sites/version-records/record-version-record.ts'
import { purgeUnnamed } from './blobs/purge-blobs.ts'
import type { ForgetPoint } from './fail-points.ts'

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
  readonly at?: (point: ForgetPoint) => void
}

/** By then a request has finished its own, or has failed. */
export const forgetMsMax = 60_000
/** A version whose record is still here by then was not deleted. */
export const unfinishedMsMax = 24 * 60 * 60 * 1000
/** The next call finishes more. */
const finishedAtOnce = 20

/**
 * Removes what is stored of a version: its rows, and the blobs that no other snapshot names. Visitors get none of it
 * within a second, and the edge drops its copies of these blobs. Reads every snapshot of the service. What it does not
 * get to, `finishForgets` removes; call `beginForget` before the record is deleted.
 */
export async function forgetContent(
  site: SiteAddress,
  version: ForgottenVersion,
  context: ForgetContext,
): Promise<ForgottenContent> {
  const { db, now } = context
  // Ingest may have removed its rows already; what they said was remembered before that.
  const forget = await beginForget(db, site, version, now())
  if ('key' in version) {
    await removeVersionRecord(db, { did: site.did, key: version.key }, version.rev, now())
  }
  return await removeContent(forget, context)
}

/**
 * Removes what is left of versions whose removal was interrupted. One whose record is still stored here waits for ingest
 * to see it go, at most for `unfinishedMsMax`.
 */
export async function finishForgets(context: ForgetContext): Promise<void> {
  const { db, now, signal } = context
  const due = { before: now() - forgetMsMax, limit: finishedAtOnce }
  for (const forget of await listUnfinishedForgets(db, due)) {
    signal.throwIfAborted()
    await removeContent(forget, context)
  }
  await dropUnfinishedForgets(db, now() - unfinishedMsMax)
}

async function removeContent(
  { hashes, id, manifest, site }: UnfinishedForget,
  context: ForgetContext,
): Promise<ForgottenContent> {
  const { at, db, now, signal, wakeUps } = context
  if ('stateId' in id) await forgetStates(db, site, { id: id.stateId }, now())
  else if (manifest !== null) await forgetStates(db, site, { recordCid: manifest }, now())
  wakeUps.notify('changes')
  const blobs = await findBlobsByHash(db, hashes)
  const sizes = new Map(blobs.map(({ hash, storedBytes }) => [hash, storedBytes]))
  await forgetReceived(db, site.did, blobs)
  const contents = blobs.map(({ decodedHash }) => decodedHash)
  await forgetUploadedBlobs(db, site.did, contents)
  const removed = await purgeUnnamed(hashes, context)
  at?.('forget-bytes-removed')
  // Also those that an interrupted call has removed.
  const left = new Set((await findBlobsByHash(db, hashes)).map(({ hash }) => hash))
  await appendBlobChanges(
    db,
    site,
    hashes.filter((hash) => !left.has(hash)),
    now(),
  )
  wakeUps.notify('changes')
  // The rules of a site were in its rows. Otherwise `finishForgets` tries again.
  if (await clearLog(db, signal)) await finishForget(db, site, id)
  const bytes = removed.reduce((sum, hash) => sum + (sizes.get(hash) ?? 0), 0)
  return { blobs: removed.length, bytes }
}
