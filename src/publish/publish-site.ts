import { ServerRefusedError } from '#outbound/server-errors.ts'
import type { UploadedFile } from '#publish/upload/upload-tree.ts'
import type { SiteAddress } from '#site/site-address.ts'
import type { JobProgress } from '#store/queues/jobs.ts'
import { forgetUploadedBlobs } from '#store/sites/uploaded-blobs.ts'
import { type RepositoryState, readRepository } from './account-records.ts'
import { EverythingSentError } from './job-turns.ts'
import type { PublishContext } from './publish-context.ts'
import { findReusableBlobs } from './reusable-blobs.ts'
import { withPatience } from './server-patience.ts'
import { type Report, storeFiles, unsentOf } from './store-files.ts'
import { mainCid, type WrittenSite, writeSite } from './write-site.ts'

/**
 * Writes a site to its owner's repository: every blob first, then one commit that names them all. Until
 * that commit nothing of the old site has changed. A site that is there already, as it is, costs neither
 * an upload nor a commit. Throws SiteConflictError when the site was changed by somebody else meanwhile, and
 * EverythingSentError when it went aside: then another turn writes the site.
 */
export async function publishSite(
  address: SiteAddress,
  files: readonly UploadedFile[],
  context: PublishContext,
): Promise<WrittenSite> {
  const { db, lane, now, onProgress, repo, sentBefore, signal, startedAt } = context
  let progress: JobProgress = { ...progressAtStart(files), ...sentBefore }
  const report: Report = (change) => {
    progress = { ...progress, ...change }
    onProgress(progress)
  }
  const hashes = files.map((file) => file.sha256)
  let { replaces } = context
  const read = async () => {
    const repository = await withPatience(() => readRepository(repo), { now, signal })
    if (replaces === undefined) {
      replaces = mainCid(address, repository)
      context.onFirstLook(replaces)
    }
    const stored = await findReusableBlobs(repo.did, repository, hashes, db)
    return { held: { repository } as { repository: RepositoryState | null }, stored }
  }
  const attempt = async (): Promise<WrittenSite> => {
    const { held, stored } = await read()
    if (unsentOf(files, stored).length > 0) {
      lane.mayGoAside(() => {
        held.repository = null
      })
    }
    const nodes = await storeFiles(files, stored, context, report)
    if (!lane.stay() || held.repository === null) throw new EverythingSentError()
    report({ phase: 'creating_manifest', currentFile: null })
    await context.beginWriting()
    return await writeSite(address, nodes, held.repository, context, replaces)
  }
  const written = await attempt().catch(async (error) => {
    if (!isBlobNotFound(error)) throw error
    // The server has dropped what an earlier try had sent, or what a record named that is gone by now:
    // everything goes again that neither this job has sent nor a record names.
    await forgetUploadedBlobs(db, repo.did, hashes, { before: startedAt })
    return await attempt()
  })
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
