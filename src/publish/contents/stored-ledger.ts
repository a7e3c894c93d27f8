import type { BlobStore, StoredBlob } from '#blobs/blob-store.ts'
import { piecesOf } from '#concurrency/pieces-of.ts'
import type { Did } from '#site/site-address.ts'
import { type KnownBlob, rememberBlobs } from '#store/blobs/blobs.ts'
import { rememberReceived } from '#store/blobs/received-blobs.ts'
import { forgetUploadedBlobs, rememberUploadedBlobs } from '#store/blobs/uploaded-blobs.ts'
import type { Db } from '#store/database/database.ts'
import { inTransaction } from '#store/database/transaction.ts'
import { findServer, rememberServer } from '#store/sites/servers.ts'
import type { BlobLedger } from './blob-ledger.ts'
import type { EncodedFile } from './encode-file.ts'
import type { ReusableBlob } from './named-blobs.ts'
import { findReusableBlobs } from './reusable-blobs.ts'

interface LedgerOptions {
  readonly did: Did
  /** Of the account's server. */
  readonly host: string
  readonly db: Db
  readonly blobs: BlobStore
  readonly now: () => number
}

interface Entry extends Pick<EncodedFile, 'source'> {
  readonly uploaded: ReusableBlob
  readonly kept: StoredBlob
}

/** At most this many uploads are sent again after a crash. */
const unrecordedMax = 32

/**
 * The ledger of the service. Uploaded files are also stored here, so that ingest need not fetch them, and recorded, so
 * that another attempt need not send them: many in one transaction, because one per upload would take as long as the
 * upload.
 */
export function storedLedger({ did, host, db, blobs, now }: LedgerOptions): BlobLedger {
  let waiting: Entry[] = []
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
      await rememberReceived(transaction, did, blobs, at)
      await rememberUploadedBlobs(transaction, did, uploaded, at)
    })
  }
  return {
    flush,
    async findReusable(files, records, present) {
      const hashes = files.map(({ sha256 }) => sha256)
      return await findReusableBlobs(did, records, hashes, db, present.values())
    },
    async sniffsGzip() {
      return (await findServer(db, host))?.sniffsGzip ?? null
    },
    async rememberSniffing(sniffsGzip) {
      await rememberServer(db, { host, sniffsGzip }, now())
    },
    async keep({ source, content }) {
      const kept = await blobs.put(piecesOf(content), { mayFree: true })
      return async (uploaded) => {
        waiting.push({ source, uploaded, kept })
        if (waiting.length >= unrecordedMax) await flush()
      }
    },
    async forget(sha256s, options) {
      await forgetUploadedBlobs(db, did, sha256s, options)
    },
  }
}

const knownBlobOf = ({ source, uploaded, kept }: Entry): KnownBlob => ({
  cid: uploaded.blob.ref.$link,
  coding: uploaded.coding,
  base64: uploaded.base64,
  hash: kept.hash,
  decodedHash: source.sha256,
  storedBytes: kept.bytes,
  decodedBytes: source.bytes,
})
