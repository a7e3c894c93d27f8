import type { AccountRepo } from '#atproto/account-repo.ts'
import { rawCid } from '#atproto/blob-fetch.ts'
import { mapAtOnce } from '#atproto/map-at-once.ts'
import type { BlobStore } from '#blobs/blob-store.ts'
import type { BlobRef } from '#site/blob-ref.ts'
import { rememberBlob } from '#store/blobs.ts'
import type { Db } from '#store/database.ts'
import { findServer, rememberServer } from '#store/servers.ts'
import { rememberUploadedBlob } from '#store/uploaded-blobs.ts'
import { base64File, type EncodedFile } from './encode-files.ts'
import type { ReusableBlob } from './reusable-blobs.ts'
import { withPatience } from './server-patience.ts'
import type { SpooledFile, SpoolFolder } from './spool.ts'

const uploadsAtOnce = 8
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

interface UploadContext {
  readonly repo: Pick<AccountRepo, 'did' | 'uploadBlob'>
  /** Host of the account's server: what is learned about it is remembered under this name. */
  readonly host: string
  readonly folder: SpoolFolder
  readonly blobs: BlobStore
  readonly db: Db
  readonly now: () => number
  readonly signal: AbortSignal
  readonly onUploading: (file: EncodedFile) => void
  readonly onUploaded: (file: EncodedFile) => void
}

/**
 * Uploads eight files at a time and returns what the server made of them, in order. What is stored
 * there is stored here too, so that ingest need not fetch it back, and remembered, so that another try
 * need not send it again. Ends with the first failure that does not pass by itself, once the calls
 * under way have ended.
 */
export async function uploadBlobs(
  files: readonly EncodedFile[],
  context: UploadContext,
): Promise<ReusableBlob[]> {
  const server = new UploadServer(context)
  const { signal } = context
  return await mapAtOnce(files, { atOnce: uploadsAtOnce, signal }, async (file, signal) => {
    context.onUploading(file)
    const uploaded = await server.upload(file, signal)
    await keep(file, uploaded, context)
    context.onUploaded(file)
    return uploaded
  })
}

/**
 * A server that sniffs stores gzip under a media type of its own, but a compressed file must be
 * `application/octet-stream` (interface.md §2.3): such a server gets it as base64 text. The first
 * compressed file shows which kind a server is; the others wait for that, because the reference server
 * counts every upload.
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
      return { blob: await this.#send(file, file.stored, signal), coding, base64: false }
    }
    this.#sniffsGzip ??= this.#findOut(file, signal)
    if (!(await this.#sniffsGzip)) {
      const blob = this.#probed.get(file) ?? (await this.#send(file, file.stored, signal))
      if (blob.mimeType === opaqueType) return { blob, coding, base64: false }
      // It did not when we last met it.
      this.#sniffsGzip = this.#learn(true)
    }
    const text = await base64File(file.stored, this.#context.folder)
    return { blob: await this.#send(file, text, signal), coding, base64: true }
  }

  async #findOut(file: EncodedFile, signal: AbortSignal): Promise<boolean> {
    const known = await findServer(this.#context.db, this.#context.host)
    if (known !== null) return known.sniffsGzip
    const blob = await this.#send(file, file.stored, signal)
    this.#probed.set(file, blob)
    return await this.#learn(blob.mimeType !== opaqueType)
  }

  async #learn(sniffsGzip: boolean): Promise<boolean> {
    const { db, host, now } = this.#context
    await rememberServer(db, { host, sniffsGzip }, now())
    return sniffsGzip
  }

  async #send(file: EncodedFile, spooled: SpooledFile, signal: AbortSignal): Promise<BlobRef> {
    const { repo, folder, now, signal: jobSignal } = this.#context
    const bytes = Bun.file(folder.path(spooled.name))
    // Another file's failure starts no further call, but does not break off this one: what the server
    // has counted and stored would be sent again.
    const blob = await withPatience(() => repo.uploadBlob(bytes, jobSignal), { now, signal })
    const expected = rawCid(Buffer.from(spooled.sha256, 'hex'))
    if (blob.ref.$link !== expected) {
      throw new BlobRefusedError(file.source.path, `cid ${blob.ref.$link}, expected ${expected}`)
    }
    return blob
  }
}

async function keep(
  file: EncodedFile,
  uploaded: ReusableBlob,
  { blobs, db, folder, now, repo }: UploadContext,
): Promise<void> {
  const { hash } = await blobs.put(Bun.file(folder.path(file.stored.name)).stream())
  const { coding, base64, blob } = uploaded
  const decodedHash = file.source.sha256
  await rememberBlob(
    db,
    {
      ...{ cid: blob.ref.$link, coding, base64, hash, decodedHash },
      storedBytes: file.stored.bytes,
      decodedBytes: file.source.bytes,
    },
    now(),
  )
  await rememberUploadedBlob(db, repo.did, { decodedHash, blob, coding, base64 }, now())
}
