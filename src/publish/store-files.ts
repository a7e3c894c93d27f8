import type { AccountRepo } from '#atproto/repo/account-repo.ts'
import { mapAtOnce } from '#concurrency/map-at-once.ts'
import { mediaTypeOf } from '#http/media-type.ts'
import type { UploadedFile } from '#publish/upload/upload-tree.ts'
import { byteText, limitText } from '#site/byte-text.ts'
import { ownNamespace } from '#site/namespace.ts'
import type { SitePath } from '#site/path.ts'
import type { FileNode } from '#site/record/manifest.ts'
import type { JobProgress } from '#store/queues/jobs.ts'
import type { RepoContext } from './commit-on-head.ts'
import { distinctContents } from './contents/distinct-contents.ts'
import { type EncodedFile, encodeFile } from './contents/encode-file.ts'
import type { ReusableBlob } from './contents/named-blobs.ts'
import { ContentsGoneError, type PlannedFile } from './contents/planned-file.ts'
import type { AtFailPoint } from './fail-points.ts'
import { NotPublishableError } from './not-publishable.ts'
import type { RecentRepositories } from './repository/recent-repositories.ts'
import { withPatience } from './server-patience.ts'
import { type UploadContext, type UploadSteps, uploadBlobs } from './upload-blobs.ts'

// Compression runs on the runtime's thread pool; more concurrency only takes memory.
const largeAtOnce = 4

/** The account's blobs, by the SHA-256 of their content. */
export type StoredBlobs = ReadonlyMap<string, ReusableBlob>

export interface StoreJob {
  /** Progress of the job's earlier attempts. */
  readonly sentBefore: Pick<JobProgress, 'filesUploaded' | 'bytesUploaded'>
  /** Updates these fields of the job's progress. */
  readonly report: (change: Partial<JobProgress>) => void
}

export interface StoreContext extends UploadContext, Pick<RepoContext, 'beforeCommit'> {
  /** Left out: the repository is read each time. */
  readonly recentRepositories?: RecentRepositories | undefined
  readonly repo: AccountRepo
  readonly at: AtFailPoint
  /** Of a site; left out: `siteFilesMax`. */
  readonly filesMax?: number
}

/**
 * A file for each content that the account does not have. Throws ContentsGoneError for contents that are not in the
 * spool either.
 */
export function unsentOf(files: readonly PlannedFile[], stored: StoredBlobs): UploadedFile[] {
  const missing = files.filter(({ sha256 }) => !stored.has(sha256))
  const gone = missing.filter((file) => file.pack === null)
  if (gone.length > 0) throw new ContentsGoneError(gone)
  return distinctContents(missing.filter((file) => file.pack !== null))
}

/**
 * Makes every file a blob of the account and returns the manifest's nodes. Content that the account already has, at
 * any path and in any coding, is not sent again; content that is in the upload twice is sent once. Throws
 * ContentsGoneError.
 */
export async function storeFiles(
  files: readonly PlannedFile[],
  stored: StoredBlobs,
  job: StoreJob,
  context: StoreContext,
): Promise<Map<SitePath, FileNode>> {
  const unsent = unsentOf(files, stored)
  // Earlier attempts of the job have sent some of the stored blobs; a server may have dropped them since.
  const sentBefore = Math.min(job.sentBefore.filesUploaded, files.length - unsent.length)
  const filesReused = files.length - unsent.length - sentBefore
  job.report({ filesProcessed: sentBefore, filesUploaded: sentBefore, filesReused })
  const uploaded = await encodeAndUpload(unsent, sentBefore, job, context)
  const all = new Map([...stored, ...unsent.map((file, i) => [file.sha256, uploaded[i]] as const)])
  return new Map(
    files.map((file) => [file.path, nodeOf(file, all.get(file.sha256) as ReusableBlob)]),
  )
}

async function encodeAndUpload(
  files: readonly UploadedFile[],
  sentBefore: number,
  job: StoreJob,
  context: StoreContext,
): Promise<ReusableBlob[]> {
  if (files.length === 0) return []
  const { at, folder } = context
  const { report } = job
  const bytes = sentBefore === 0 ? 0 : job.sentBefore.bytesUploaded
  const done = { processed: sentBefore, uploaded: sentBefore, bytes }
  report({ phase: 'compressing' })
  const encode = async (file: UploadedFile, signal: AbortSignal): Promise<EncodedFile> => {
    const encoded = await encodeFile(file, folder, signal)
    report({ filesProcessed: ++done.processed, currentFile: file.path })
    return encoded
  }
  const tried = await encodeLarge(files, encode, context)
  at('before-uploads')
  const steps: UploadSteps = {
    encode: async (file, signal) => tried.get(file) ?? (await encode(file, signal)),
    onUploading: ({ path }) => report({ phase: 'uploading', currentFile: path }),
    onUploaded: ({ bytes }) => {
      done.bytes += bytes
      report({ filesUploaded: ++done.uploaded, bytesUploaded: done.bytes })
      at('blob-uploaded')
    },
  }
  const uploaded = await uploadBlobs(files, steps, context)
  at('blobs-uploaded')
  return uploaded
}

/**
 * Encodes the files that are too large for the account's server. Throws NotPublishableError if one still is too large
 * then: before any upload, because a site that cannot become whole must not use up the account's quota.
 */
async function encodeLarge(
  files: readonly UploadedFile[],
  encode: (file: UploadedFile, signal: AbortSignal) => Promise<EncodedFile>,
  { now, pause, repo, signal }: StoreContext,
): Promise<ReadonlyMap<UploadedFile, EncodedFile>> {
  const answer = await withPatience(() => repo.blobUploadBytesMax(), { now, pause, signal })
  const bytesMax = answer ?? Number.POSITIVE_INFINITY
  const large = files.filter(({ bytes }) => bytes > bytesMax)
  const encoded = await mapAtOnce(large, { atOnce: largeAtOnce, signal }, encode)
  const tooLarge = encoded.filter(({ content }) => content.size > bytesMax)
  if (tooLarge.length === 0) return new Map(encoded.map((file) => [file.source, file]))
  const names = tooLarge.map(({ source, content }) => `${source.path} (${byteText(content.size)})`)
  throw new NotPublishableError(
    `Your account’s server takes files of at most ${limitText(bytesMax)}, and these are larger: ` +
      `${names.join(', ')}. Make them smaller or leave them out; nothing was published.`,
  )
}

const nodeOf = (file: PlannedFile, { blob, coding, base64 }: ReusableBlob): FileNode => ({
  $type: ownNamespace.nodes.file,
  type: 'file',
  blob,
  mimeType: mediaTypeOf(file.path),
  ...(coding === 'gzip' && { encoding: 'gzip' }),
  ...(base64 && { base64: true }),
})
