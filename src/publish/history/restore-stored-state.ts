import { createGunzip } from 'node:zlib'
import type { BlobStore } from '#blobs/blob-store.ts'
import { passingPiecesOf } from '#concurrency/pieces-of.ts'
import { runInSlices } from '#concurrency/yield-event-loop.ts'
import { NotPublishableError } from '#publish/not-publishable.ts'
import { type PublishJob, type PublishOutcome, publishSite } from '#publish/publish-site.ts'
import type { StoreContext } from '#publish/store-files.ts'
import type { SpooledFile } from '#publish/upload/spool-folder.ts'
import type { UploadedFile } from '#publish/upload/upload-tree.ts'
import type { SitePath } from '#site/path.ts'
import type { SiteAddress } from '#site/site-address.ts'
import {
  decodeSnapshotSteps,
  type Snapshot,
  type SnapshotFile,
  SnapshotFormatError,
} from '#site/visit/snapshot.ts'
import type { Db } from '#store/database/database.ts'
import { findSnapshotText } from '#store/lifecycle/account-data.ts'

/** What a restore makes live: a state of the site that no version record describes. */
export interface RestoreStatePlan {
  /** Of the row in `versions`. */
  readonly stateId: string
  readonly settings: boolean
}

interface RestoreContext extends StoreContext {
  readonly db: Db
  readonly blobs: BlobStore
}

/**
 * Publishes the files that a site had, from our store, and in the same commit the settings of then, if asked for: the
 * account's server has dropped the blobs that no record names any more. What it still has is not sent. Throws as
 * `publishSite`.
 */
export async function restoreState(
  address: SiteAddress,
  { stateId, settings }: RestoreStatePlan,
  job: PublishJob,
  context: RestoreContext,
): Promise<PublishOutcome> {
  const snapshot = await snapshotOf(address, stateId, context)
  const files = await spooled(snapshot, context)
  const change = settings ? ({ kind: 'all', settings: snapshot.settings } as const) : null
  return await publishSite(address, { files, changes: null, settings: change }, job, context)
}

async function snapshotOf(
  { did }: SiteAddress,
  stateId: string,
  { db }: RestoreContext,
): Promise<Snapshot> {
  const text = await findSnapshotText(db, did, stateId)
  try {
    return await runInSlices(decodeSnapshotSteps(text ?? ''))
  } catch (error) {
    if (!(error instanceof SnapshotFormatError)) throw error
    throw new NotPublishableError(filesGone, { cause: error })
  }
}

/** Every content decoded into the job's folder, once. */
async function spooled(
  { files }: Snapshot,
  { blobs, folder, signal }: RestoreContext,
): Promise<UploadedFile[]> {
  const contents = new Map<string, SpooledFile>()
  const uploaded: UploadedFile[] = []
  for (const [path, file] of files) {
    signal.throwIfAborted()
    const key = `${file.coding} ${file.hash}`
    const content = contents.get(key) ?? (await decodedTo(folder, file, { blobs, signal }))
    contents.set(key, content)
    uploaded.push({ path: path as SitePath, ...content })
  }
  return uploaded
}

async function decodedTo(
  folder: RestoreContext['folder'],
  { bytes, coding, hash }: SnapshotFile,
  { blobs, signal }: Pick<RestoreContext, 'blobs' | 'signal'>,
): Promise<SpooledFile> {
  const stored = await blobs.open(hash)
  if (stored === null) throw new NotPublishableError(filesGone)
  const step = coding === 'gzip' ? { step: createGunzip() } : {}
  return await folder.write(passingPiecesOf(stored), { bytesMax: bytes, signal, ...step })
}

const filesGone = 'The files of this version are not stored here any more. The site stays as it is.'
