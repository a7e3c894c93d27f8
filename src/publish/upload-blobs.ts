import type { AccountRepo } from '#atproto/repo/account-repo.ts'
import { rawCid } from '#atproto/repo/raw-cid.ts'
import { mapAtOnce } from '#concurrency/map-at-once.ts'
import type { UploadedFile } from '#publish/upload/upload-tree.ts'
import type { BlobRef } from '#site/record/blob-ref.ts'
import type { BlobLedger } from './contents/blob-ledger.ts'
import {
  base64Form,
  type ContentFolder,
  type EncodedFile,
  type FileForm,
} from './contents/encode-file.ts'
import type { ReusableBlob } from './contents/named-blobs.ts'
import { type Patience, withPatience } from './server-patience.ts'

export const uploadsAtOnce = 8
const opaqueType = 'application/octet-stream'

/** The server returned another CID than the bytes have. */
export class BlobRefusedError extends Error {
  override readonly name = 'BlobRefusedError'
  readonly path: string

  constructor(path: string, reason: string) {
    super(`server misstored a blob; path=${path} reason=${reason}`)
    this.path = path
  }
}

export interface UploadContext extends Pick<Patience, 'pause'> {
  readonly repo: Pick<AccountRepo, 'did' | 'uploadBlob'>
  readonly folder: ContentFolder
  readonly ledger: BlobLedger
  readonly now: () => number
  readonly signal: AbortSignal
}

export interface UploadSteps {
  /** The form to upload. */
  readonly encode: (file: UploadedFile, signal: AbortSignal) => Promise<EncodedFile>
  readonly onUploading: (file: UploadedFile) => void
  readonly onUploaded: (file: UploadedFile) => void
}

/**
 * Encodes and uploads eight files at a time; returns the server's blobs in order. The ledger records them. Throws the
 * first failure that retries do not overcome, after all calls in progress.
 */
export async function uploadBlobs(
  files: readonly UploadedFile[],
  { encode, onUploading, onUploaded }: UploadSteps,
  context: UploadContext,
): Promise<ReusableBlob[]> {
  const server = new UploadServer(context)
  const { ledger, signal } = context
  return await mapAtOnce(files, { atOnce: uploadsAtOnce, signal }, async (source, signal) => {
    const file = await encode(source, signal)
    onUploading(source)
    // Concurrent: one waits for the network, the other for the disk. Both settle before anything is thrown, because
    // the caller then removes the files.
    const [sent, kept] = await Promise.allSettled([server.upload(file, signal), ledger.keep(file)])
    if (sent.status === 'rejected') throw sent.reason
    if (kept.status === 'rejected') throw kept.reason
    await kept.value(sent.value)
    onUploaded(source)
    return sent.value
  }).finally(() => ledger.flush())
}

/**
 * A compressed file must be stored as `application/octet-stream` (interface.md §2.3). Some servers sniff gzip and
 * store it under another media type: they get base64. The first compressed file shows whether a server sniffs;
 * the others wait for it, because the reference server counts every upload.
 */
class UploadServer {
  readonly #context: UploadContext
  #sniffsGzip: Promise<boolean> | undefined
  readonly #probed = new Map<EncodedFile, BlobRef>()

  constructor(context: UploadContext) {
    this.#context = context
  }

  async upload(file: EncodedFile, signal: AbortSignal): Promise<ReusableBlob> {
    const { coding } = file
    if (coding === 'identity') {
      return { blob: await this.#send(file, file, signal), coding, base64: false }
    }
    this.#sniffsGzip ??= this.#findOut(file, signal)
    if (!(await this.#sniffsGzip)) {
      const blob = this.#probed.get(file) ?? (await this.#send(file, file, signal))
      if (blob.mimeType === opaqueType) return { blob, coding, base64: false }
      // Unlike the last time.
      this.#sniffsGzip = this.#learn(true)
    }
    const text = await base64Form(file.content, this.#context.folder)
    return { blob: await this.#send(file, text, signal), coding, base64: true }
  }

  async #findOut(file: EncodedFile, signal: AbortSignal): Promise<boolean> {
    const known = await this.#context.ledger.sniffsGzip()
    if (known !== null) return known
    const blob = await this.#send(file, file, signal)
    this.#probed.set(file, blob)
    return await this.#learn(blob.mimeType !== opaqueType)
  }

  async #learn(sniffsGzip: boolean): Promise<boolean> {
    await this.#context.ledger.rememberSniffing(sniffsGzip)
    return sniffsGzip
  }

  async #send(
    file: EncodedFile,
    { content, sha256 }: FileForm,
    signal: AbortSignal,
  ): Promise<BlobRef> {
    const { repo, now, pause, signal: jobSignal } = this.#context
    // Not aborted by another file's failure: the server has counted and stored what would be sent again.
    const upload = () => repo.uploadBlob(content, jobSignal)
    const blob = await withPatience(upload, { now, pause, signal })
    const expected = rawCid(Buffer.from(sha256, 'hex'))
    if (blob.ref.$link !== expected) {
      throw new BlobRefusedError(file.source.path, `cid ${blob.ref.$link}, expected ${expected}`)
    }
    return blob
  }
}
