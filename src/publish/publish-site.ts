import type { Lane } from '#concurrency/lane.ts'
import { ServerRefusedError } from '#outbound/server-errors.ts'
import type { UploadedFile } from '#publish/upload/upload-tree.ts'
import type { SiteAddress } from '#site/site-address.ts'
import type { JobProgress } from '#store/queues/jobs.ts'
import { forgetUploadedBlobs } from '#store/sites/uploaded-blobs.ts'
import { readRepository } from './account-records.ts'
import { findReusableBlobs } from './reusable-blobs.ts'
import { ServerBusyError, withPatience } from './server-patience.ts'
import {
  type StoreContext,
  type StoredBlobs,
  type StoreJob,
  storeFiles,
  unsentOf,
} from './store-files.ts'
import {
  mainCid,
  type WriteContext,
  type WriteOnto,
  type WrittenSite,
  writeSite,
} from './write-site.ts'

/** The job that a publish is an attempt at. */
export interface PublishJob extends StoreJob {
  /** When its first attempt began. */
  readonly startedAt: number
  /** The job occupies the lane except while it sends files slowly. */
  readonly lane: Pick<Lane, 'detachWhenSlow' | 'pin'>
  /** CID of the site's record when the job first read it, null for none. The first call stores and returns `current`. */
  readonly rememberExpectedCid: (current: string | null) => Promise<string | null>
  /** From here on the job cannot be cancelled; false when it already was. */
  readonly beginWriting: () => Promise<boolean>
}

export type PublishOutcome =
  | ({ readonly kind: 'published' } & WrittenSite)
  /** Everything is sent, slowly: another attempt reads the repository again and writes the site. */
  | { readonly kind: 'uploaded' }
  /** The account's server takes nothing more until `retryAt`. */
  | { readonly kind: 'busy'; readonly retryAt: number }
  | { readonly kind: 'cancelled' }

/**
 * Writes a site to its owner's repository: every blob first, then one commit that names them all. Until that commit
 * the old site is unchanged. An unchanged site costs neither an upload nor a commit. Throws SiteConflictError when
 * another program changed the site meanwhile.
 */
export async function publishSite(
  address: SiteAddress,
  files: readonly UploadedFile[],
  job: PublishJob,
  context: StoreContext,
): Promise<PublishOutcome> {
  const { db, repo } = context
  const hashes = files.map((file) => file.sha256)
  const attempt = async (): Promise<PublishOutcome> => {
    const prepared = await prepare(address, files, job, context)
    if (prepared.start === null) job.lane.detachWhenSlow()
    const nodes = await storeFiles(files, prepared.stored, job, context)
    if (!job.lane.pin()) return { kind: 'uploaded' }
    job.report({ phase: 'creating_manifest', currentFile: null })
    if (!(await job.beginWriting())) return { kind: 'cancelled' }
    return { kind: 'published', ...(await writeSite(address, nodes, prepared, context)) }
  }
  const { filesUploaded, bytesUploaded } = job.sentBefore
  job.report({ ...progressAtStart(files), filesUploaded, bytesUploaded })
  try {
    const outcome = await attempt().catch(async (error) => {
      if (!isBlobNotFound(error)) throw error
      // The server has dropped blobs of an earlier attempt or of a deleted record: the next attempt sends every
      // blob that neither this job has sent nor a record references.
      await forgetUploadedBlobs(db, repo.did, hashes, { before: job.startedAt })
      return await attempt()
    })
    if (outcome.kind !== 'published') return outcome
    await forgetUploadedBlobs(db, repo.did, hashes)
    job.report({ phase: 'finalizing' })
    return outcome
  } catch (error) {
    if (error instanceof ServerBusyError) return { kind: 'busy', retryAt: error.retryAt }
    throw error
  }
}

/** Finds out which files of a site the account already has. */
async function prepare(
  address: SiteAddress,
  files: readonly UploadedFile[],
  { rememberExpectedCid }: PublishJob,
  { db, now, repo, signal }: StoreContext,
): Promise<WriteOnto & { readonly stored: StoredBlobs }> {
  const repository = await withPatience(() => readRepository(repo), { now, signal })
  const expectedCid = await rememberExpectedCid(mainCid(address, repository))
  const hashes = files.map((file) => file.sha256)
  const stored = await findReusableBlobs(repo.did, repository, hashes, db)
  // The account's records take too much memory to keep them during uploads.
  const start = unsentOf(files, stored).length === 0 ? repository : null
  return { expectedCid, stored, start }
}

/** Writes a site without files. */
export async function publishEmptySite(
  address: SiteAddress,
  context: WriteContext,
): Promise<WrittenSite> {
  const start = await readRepository(context.repo)
  const expectedCid = mainCid(address, start)
  return await writeSite(address, new Map(), { expectedCid, start }, context)
}

const isBlobNotFound = (error: unknown): boolean =>
  error instanceof ServerRefusedError && error.code === 'BlobNotFound'

export function progressAtStart(files: readonly { readonly bytes: number }[]): JobProgress {
  return {
    phase: 'validating',
    totalFiles: files.length,
    filesProcessed: 0,
    filesUploaded: 0,
    filesReused: 0,
    bytesTotal: files.reduce((sum, file) => sum + file.bytes, 0),
    bytesUploaded: 0,
    currentFile: null,
  }
}
