import pMap from 'p-map'
import type { AccountRepo, BlobRef } from '#atproto/account-repo.ts'
import { rawCid } from '#atproto/blob-fetch.ts'
import type { BlobStore } from '#blobs/blob-store.ts'
import type { FileNode } from '#site/manifest.ts'
import { rememberBlob } from '#store/blobs.ts'
import type { Db } from '#store/database.ts'
import { findServer, rememberServer } from '#store/servers.ts'
import { base64File, type EncodedFile } from './encode-files.ts'
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
  readonly repo: AccountRepo
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
 * Uploads eight files at a time and returns their manifest nodes, in order. What is stored there is
 * stored here too, so that ingest need not fetch it back. Ends with the first failure.
 */
export async function uploadBlobs(
  files: readonly EncodedFile[],
  context: UploadContext,
): Promise<FileNode[]> {
  const server = new UploadServer(context)
  return await pMap(
    files,
    async (file) => {
      context.onUploading(file)
      const node = await server.upload(file)
      await keepLocally(file, node, context)
      context.onUploaded(file)
      return node
    },
    { concurrency: uploadsAtOnce, signal: context.signal },
  )
}

/**
 * A server that sniffs stores gzip under a media type of its own, but a compressed file must be
 * `application/octet-stream` (interface.md §2.3): such a server gets it as base64 text.
 */
class UploadServer {
  readonly #context: UploadContext
  #sniffsGzip: Promise<boolean> | undefined

  constructor(context: UploadContext) {
    this.#context = context
  }

  async upload(file: EncodedFile): Promise<FileNode> {
    if (file.coding === 'identity') return nodeOf(file, await this.#send(file, file.stored), false)
    this.#sniffsGzip ??= this.#recallSniffing()
    if (!(await this.#sniffsGzip)) {
      const blob = await this.#send(file, file.stored)
      if (blob.mimeType === opaqueType) return nodeOf(file, blob, false)
      await this.#learnSniffing()
    }
    const text = await base64File(file.stored, this.#context.folder)
    return nodeOf(file, await this.#send(file, text), true)
  }

  async #send(file: EncodedFile, spooled: SpooledFile): Promise<BlobRef> {
    const { repo, folder } = this.#context
    const blob = await repo.uploadBlob(Bun.file(folder.path(spooled.name)))
    const expected = rawCid(Buffer.from(spooled.sha256, 'hex'))
    if (blob.ref.$link !== expected) {
      throw new BlobRefusedError(file.source.path, `cid ${blob.ref.$link}, expected ${expected}`)
    }
    return blob
  }

  async #recallSniffing(): Promise<boolean> {
    return (await findServer(this.#context.db, this.#context.host))?.sniffsGzip ?? false
  }

  async #learnSniffing(): Promise<void> {
    const { db, host, now } = this.#context
    this.#sniffsGzip = Promise.resolve(true)
    await rememberServer(db, { host, sniffsGzip: true }, now())
  }
}

function nodeOf(file: EncodedFile, blob: BlobRef, base64: boolean): FileNode {
  return {
    $type: 'place.sitehost.fs#file',
    type: 'file',
    blob,
    mimeType: file.mediaType,
    ...(file.coding === 'gzip' && { encoding: 'gzip' }),
    ...(base64 && { base64: true }),
  }
}

async function keepLocally(
  file: EncodedFile,
  node: FileNode,
  { blobs, db, folder, now }: UploadContext,
): Promise<void> {
  const { hash } = await blobs.put(Bun.file(folder.path(file.stored.name)).stream())
  await rememberBlob(
    db,
    {
      cid: node.blob.ref.$link,
      coding: file.coding,
      base64: node.base64 ?? false,
      hash,
      storedBytes: file.stored.bytes,
      decodedHash: file.source.sha256,
      decodedBytes: file.source.bytes,
    },
    now(),
  )
}
