import type { AccountRepo } from '#atproto/repo/account-repo.ts'
import { rawCid } from '#atproto/repo/raw-cid.ts'
import type { BlobStore, StoredBlob } from '#blobs/blob-store.ts'
import { piecesOf } from '#blobs/pieces-of.ts'
import { mapAtOnce } from '#concurrency/map-at-once.ts'
import type { SpoolFolder } from '#publish/upload/spool-folder.ts'
import type { UploadedFile } from '#publish/upload/upload-tree.ts'
import type { BlobRef } from '#site/record/blob-ref.ts'
import type { Db } from '#store/database/database.ts'
import { inTransaction } from '#store/database/transaction.ts'
import { type KnownBlob, rememberBlobs } from '#store/sites/blobs.ts'
import { rememberReceived } from '#store/sites/received-blobs.ts'
import { findServer, rememberServer } from '#store/sites/servers.ts'
import { rememberUploadedBlobs } from '#store/sites/uploaded-blobs.ts'
import { base64Form, type EncodedFile, type FileForm } from './encode-file.ts'
import type { ReusableBlob } from './reusable-blobs.ts'
import { withPatience } from './server-patience.ts'

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

export interface UploadContext {
  readonly repo: Pick<AccountRepo, 'did' | 'uploadBlob'>
  /** Host of the account's server. */
  readonly host: string
  readonly folder: SpoolFolder
  readonly blobs: BlobStore
  readonly db: Db
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
 * Encodes and uploads eight files at a time; returns the server's blobs in order. Uploaded files are also stored here,
 * so that ingest need not fetch them, and recorded, so that another attempt need not send them. Throws the first
 * failure that retries do not overcome, after all calls in progress.
 */
export async function uploadBlobs(
  files: readonly UploadedFile[],
  { encode, onUploading, onUploaded }: UploadSteps,
  context: UploadContext,
): Promise<ReusableBlob[]> {
  const server = new UploadServer(context)
  const ledger = openLedger(context)
  const { blobs, signal } = context
  return await mapAtOnce(files, { atOnce: uploadsAtOnce, signal }, async (source, signal) => {
    const file = await encode(source, signal)
    onUploading(source)
    // Concurrent: one waits for the network, the other for the disk. Both settle before anything is thrown, because
    // the caller then removes the files.
    const [sent, kept] = await Promise.allSettled([
      server.upload(file, signal),
      blobs.put(piecesOf(file.content)),
    ])
    if (sent.status === 'rejected') throw sent.reason
    if (kept.status === 'rejected') throw kept.reason
    const uploaded = sent.value
    await ledger.add({ source, uploaded, kept: kept.value })
    onUploaded(source)
    return uploaded
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
    const known = await findServer(this.#context.db, this.#context.host)
    if (known !== null) return known.sniffsGzip
    const blob = await this.#send(file, file, signal)
    this.#probed.set(file, blob)
    return await this.#learn(blob.mimeType !== opaqueType)
  }

  async #learn(sniffsGzip: boolean): Promise<boolean> {
    const { db, host, now } = this.#context
    await rememberServer(db, { host, sniffsGzip }, now())
    return sniffsGzip
  }

  async #send(
    file: EncodedFile,
    { content, sha256 }: FileForm,
    signal: AbortSignal,
  ): Promise<BlobRef> {
    const { repo, now, signal: jobSignal } = this.#context
    // Not aborted by another file's failure: the server has counted and stored what would be sent again.
    const blob = await withPatience(() => repo.uploadBlob(content, jobSignal), { now, signal })
    const expected = rawCid(Buffer.from(sha256, 'hex'))
    if (blob.ref.$link !== expected) {
      throw new BlobRefusedError(file.source.path, `cid ${blob.ref.$link}, expected ${expected}`)
    }
    return blob
  }
}

interface LedgerEntry {
  readonly source: UploadedFile
  readonly uploaded: ReusableBlob
  readonly kept: StoredBlob
}

/** At most this many uploads are sent again after a crash. */
const unrecordedMax = 32

/** Records uploads, many in one transaction: one per upload would take as long as the upload. `flush` at the end. */
function openLedger({ db, now, repo }: UploadContext) {
  let waiting: LedgerEntry[] = []
  const flush = async (): Promise<void> => {
    const entries = waiting
    waiting = []
    if (entries.length === 0) return
    const uploaded = entries.map((entry) => ({
      ...entry.uploaded,
      decodedHash: entry.source.sha256,
    }))
    await inTransaction(db, async (transaction) => {
      const at = now()
      const blobs = entries.map(knownBlobOf)
      await rememberBlobs(transaction, blobs, at)
      await rememberReceived(transaction, repo.did, blobs, at)
      await rememberUploadedBlobs(transaction, repo.did, uploaded, at)
    })
  }
  const add = async (entry: LedgerEntry): Promise<void> => {
    waiting.push(entry)
    if (waiting.length >= unrecordedMax) await flush()
  }
  return { add, flush }
}

const knownBlobOf = ({ source, uploaded, kept }: LedgerEntry): KnownBlob => ({
  cid: uploaded.blob.ref.$link,
  coding: uploaded.coding,
  base64: uploaded.base64,
  hash: kept.hash,
  decodedHash: source.sha256,
  storedBytes: kept.bytes,
  decodedBytes: source.bytes,
})
