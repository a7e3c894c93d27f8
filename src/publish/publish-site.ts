import type { AccountRepo } from '#atproto/account-repo.ts'
import type { BlobStore } from '#blobs/blob-store.ts'
import { type FileNode, type Manifest, parseManifest } from '#site/manifest.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { buildTree } from '#site/tree.ts'
import type { Db } from '#store/database.ts'
import type { JobProgress } from '#store/jobs.ts'
import { type EncodedFile, encodeFiles } from './encode-files.ts'
import { megabytes, type UploadedFile } from './receive-upload.ts'
import type { SpoolFolder } from './spool.ts'
import { uploadBlobs } from './upload-blobs.ts'

/** The account cannot hold this site. `message` is for its owner and says what to do. */
export class NotPublishableError extends Error {
  override readonly name = 'NotPublishableError'
}

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
}

/**
 * Writes a site to its owner's repository: every blob first, then the one record that names them all.
 * Until that record is written nothing of the old site has changed.
 */
export async function publishSite(
  address: SiteAddress,
  files: readonly UploadedFile[],
  context: PublishContext,
): Promise<{ uri: string; cid: string }> {
  const { repo, folder, signal, onProgress } = context
  let progress = progressAtStart(files)
  const report = (change: Partial<JobProgress>): void => {
    progress = { ...progress, ...change }
    onProgress(progress)
  }

  report({ phase: 'compressing' })
  const encoded = await encodeFiles(files, folder, {
    signal,
    onEncoded: ({ source }) =>
      report({ filesProcessed: progress.filesProcessed + 1, currentFile: source.path }),
  })
  assertServerTakes(encoded, await repo.blobUploadBytesMax())

  report({ phase: 'uploading' })
  const nodes = await uploadBlobs(encoded, {
    ...context,
    onUploading: ({ source }) => report({ currentFile: source.path }),
    onUploaded: ({ source }) =>
      report({
        filesUploaded: progress.filesUploaded + 1,
        bytesUploaded: progress.bytesUploaded + source.bytes,
      }),
  })

  report({ phase: 'creating_manifest', currentFile: null })
  const byPath = new Map(encoded.map(({ source }, i) => [source.path, nodes[i] as FileNode]))
  const manifest = manifestOf(address, byPath, context.now())
  const record = await repo.putRecord('place.sitehost.fs', address.name, { ...manifest })
  report({ phase: 'finalizing' })
  return record
}

/** An empty site, written at once. */
export async function publishEmptySite(
  address: SiteAddress,
  repo: AccountRepo,
  now: number,
): Promise<{ uri: string; cid: string }> {
  const manifest = manifestOf(address, new Map(), now)
  return await repo.putRecord('place.sitehost.fs', address.name, { ...manifest })
}

// Before any upload: a site that cannot become whole must not use up the account's quota.
function assertServerTakes(files: readonly EncodedFile[], bytesMax: number | null): void {
  if (bytesMax === null) return
  const tooLarge = files.filter((file) => file.stored.bytes > bytesMax)
  if (tooLarge.length === 0) return
  const names = tooLarge.map((file) => `${file.source.path} (${megabytes(file.stored.bytes)})`)
  throw new NotPublishableError(
    `Your account’s server takes files of at most ${megabytes(bytesMax)}, and these are larger: ` +
      `${names.join(', ')}. Make them smaller or leave them out; nothing was published.`,
  )
}

function manifestOf(
  address: SiteAddress,
  files: ReadonlyMap<UploadedFile['path'], FileNode>,
  now: number,
): Manifest {
  const parsed = parseManifest(
    {
      $type: 'place.sitehost.fs',
      site: address.name,
      root: buildTree(files),
      fileCount: files.size,
      createdAt: new Date(now).toISOString(),
    },
    address.name,
  )
  // Whatever ingest would refuse must not be written in the first place.
  if (!parsed.ok) throw new NotPublishableError(`${parsed.problems[0]}. Nothing was published.`)
  return parsed.manifest
}

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
