import type { AccountRepo } from '#atproto/account-repo.ts'
import { ServerRefusedError } from '#atproto/account-repo.ts'
import type { BlobStore } from '#blobs/blob-store.ts'
import type { FileNode } from '#site/manifest.ts'
import type { SitePath } from '#site/path.ts'
import type { SiteAddress } from '#site/site-address.ts'
import type { Db } from '#store/database.ts'
import type { JobProgress } from '#store/jobs.ts'
import { forgetUploadedBlobs } from '#store/uploaded-blobs.ts'
import { type RepositoryState, readRepository } from './account-records.ts'
import type { AtFailPoint } from './fail-points.ts'
import { withPatience } from './server-patience.ts'
import type { SpoolFolder } from './spool-folder.ts'
import { type Report, storeFiles } from './store-files.ts'
import type { UploadedFile } from './upload-tree.ts'
import { mainCid, type WrittenSite, writeSite } from './write-site.ts'

export interface PublishContext {
  readonly repo: AccountRepo
  /** Host of the account's server. */
  readonly host: string
  readonly folder: SpoolFolder
  readonly blobs: BlobStore
  readonly db: Db
  readonly now: () => number
  readonly signal: AbortSignal
  readonly onProgress: (progress: JobProgress) => void
  /** Called right before the commit; throws when the job was cancelled. */
  readonly beginWriting: () => Promise<void>
  readonly at: AtFailPoint
}

/**
 * Writes a site to its owner's repository: every blob first, then one commit that names them all. Until
 * that commit nothing of the old site has changed. A site that is there already, as it is, costs neither
 * an upload nor a commit. Throws SiteConflictError when the site was changed by somebody else meanwhile.
 */
export async function publishSite(
  address: SiteAddress,
  files: readonly UploadedFile[],
  context: PublishContext,
): Promise<WrittenSite> {
  const { db, now, onProgress, repo, signal } = context
  let progress = progressAtStart(files)
  const report: Report = (change) => {
    progress = { ...progress, ...change }
    onProgress(progress)
  }
  const startedAt = now()
  const read = () => withPatience(() => readRepository(repo), { now, signal })
  let repository = await read()
  const replaces = mainCid(address, repository)
  const store = () => storeFiles(files, repository, context, report)
  const write = async (nodes: Map<SitePath, FileNode>): Promise<WrittenSite> => {
    report({ phase: 'creating_manifest', currentFile: null })
    await context.beginWriting()
    return await writeSite(address, nodes, repository, context, replaces)
  }
  const hashes = files.map((file) => file.sha256)
  let written: WrittenSite
  try {
    written = await write(await store())
  } catch (error) {
    if (!isBlobNotFound(error)) throw error
    // The server has dropped what an earlier try had sent, or what a record named that is gone by now:
    // everything goes again that neither this try has sent nor a record names.
    await forgetUploadedBlobs(db, repo.did, hashes, { before: startedAt })
    repository = await read()
    written = await write(await store())
  }
  await forgetUploadedBlobs(db, repo.did, hashes)
  report({ phase: 'finalizing' })
  return written
}

/** An empty site, written at once. */
export async function publishEmptySite(
  address: SiteAddress,
  context: Pick<PublishContext, 'repo' | 'now' | 'signal' | 'at'>,
): Promise<WrittenSite> {
  const repository: RepositoryState = await readRepository(context.repo)
  return await writeSite(address, new Map(), repository, context)
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
