import type { FileNode } from '#site/manifest.ts'
import { mediaTypeOf } from '#site/media-type.ts'
import type { SitePath } from '#site/path.ts'
import type { AccountRecords } from '#site/plan-writes.ts'
import type { JobProgress } from '#store/jobs.ts'
import { type EncodedFile, encodeFiles } from './encode-files.ts'
import { NotPublishableError } from './not-publishable.ts'
import type { PublishContext } from './publish-site.ts'
import { findReusableBlobs, type ReusableBlob } from './reusable-blobs.ts'
import { withPatience } from './server-patience.ts'
import { uploadBlobs } from './upload-blobs.ts'
import { megabytes } from './upload-refusal.ts'
import type { UploadedFile } from './upload-tree.ts'

/** Adds to what is shown of a job; the rest stays. */
export type Report = (change: Partial<JobProgress>) => void

/**
 * Makes every file a blob of the account and returns the manifest's nodes. Content that the account has
 * already, at whatever path and however compressed, is not sent again, and neither is content that is
 * there twice in the upload.
 */
export async function storeFiles(
  files: readonly UploadedFile[],
  records: AccountRecords,
  context: PublishContext,
  report: Report,
): Promise<Map<SitePath, FileNode>> {
  const hashes = files.map((file) => file.sha256)
  const stored = await findReusableBlobs(context.repo.did, records, hashes, context.db)
  const unstored = [
    ...new Map(
      files.filter(({ sha256 }) => !stored.has(sha256)).map((file) => [file.sha256, file]),
    ).values(),
  ]
  report({ filesReused: files.length - unstored.length })
  const uploaded = await encodeAndUpload(unstored, context, report)
  unstored.forEach((file, i) => {
    stored.set(file.sha256, uploaded[i] as ReusableBlob)
  })
  return new Map(
    files.map((file) => [file.path, nodeOf(file, stored.get(file.sha256) as ReusableBlob)]),
  )
}

async function encodeAndUpload(
  files: readonly UploadedFile[],
  context: PublishContext,
  report: Report,
): Promise<ReusableBlob[]> {
  const { at, folder, now, repo, signal } = context
  const done = { processed: 0, uploaded: 0, bytes: 0 }
  report({ phase: 'compressing' })
  const encoded = await encodeFiles(files, folder, {
    signal,
    onEncoded: ({ source }) =>
      report({ filesProcessed: ++done.processed, currentFile: source.path }),
  })
  at('files-encoded')
  if (encoded.length > 0) {
    const bytesMax = await withPatience(() => repo.blobUploadBytesMax(), { now, signal })
    assertServerTakes(encoded, bytesMax)
  }

  report({ phase: 'uploading' })
  const uploaded = await uploadBlobs(encoded, {
    ...context,
    onUploading: ({ source }) => report({ currentFile: source.path }),
    onUploaded: ({ source }) => {
      done.bytes += source.bytes
      report({ filesUploaded: ++done.uploaded, bytesUploaded: done.bytes })
      at('blob-uploaded')
    },
  })
  at('blobs-uploaded')
  return uploaded
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

const nodeOf = (file: UploadedFile, { blob, coding, base64 }: ReusableBlob): FileNode => ({
  $type: 'place.sitehost.fs#file',
  type: 'file',
  blob,
  mimeType: mediaTypeOf(file.path),
  ...(coding === 'gzip' && { encoding: 'gzip' }),
  ...(base64 && { base64: true }),
})
