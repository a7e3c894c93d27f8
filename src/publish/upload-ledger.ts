import type { Did } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import { inTransaction } from '#store/database/transaction.ts'
import { type KnownBlob, rememberBlobs } from '#store/sites/blobs.ts'
import { rememberUploadedBlobs, type UploadedBlob } from '#store/sites/uploaded-blobs.ts'

/** At most this many uploads are sent again after a crash. */
const waitingMax = 32

interface LedgerContext {
  readonly db: Db
  readonly did: Did
  readonly now: () => number
}

/**
 * Remembers uploads, many in one transaction: each waits for the disk, and one an upload would cost as
 * much as the upload. `flush` when there will be no more.
 */
export class UploadLedger {
  readonly #context: LedgerContext
  #waiting: { known: KnownBlob; uploaded: UploadedBlob }[] = []

  constructor(context: LedgerContext) {
    this.#context = context
  }

  async add(known: KnownBlob, uploaded: UploadedBlob): Promise<void> {
    this.#waiting.push({ known, uploaded })
    if (this.#waiting.length >= waitingMax) await this.flush()
  }

  async flush(): Promise<void> {
    const entries = this.#waiting
    this.#waiting = []
    if (entries.length === 0) return
    const { db, did, now } = this.#context
    await inTransaction(db, async (transaction) => {
      const at = now()
      await rememberBlobs(
        transaction,
        entries.map(({ known }) => known),
        at,
      )
      await rememberUploadedBlobs(
        transaction,
        did,
        entries.map(({ uploaded }) => uploaded),
        at,
      )
    })
  }
}
