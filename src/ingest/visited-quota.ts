import { garbageKeptMs } from '#ingest/blobs/garbage.ts'
import type { Did } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import { isVisitedOnly, visitedUsage } from '#store/lifecycle/visited-accounts.ts'

/** Marks are set once an hour and acted on once an hour: so long are bytes stored after nothing names them. */
export const droppedStoredMs = garbageKeptMs + 2 * 60 * 60 * 1000

/** The quota of accounts that are only visited is used up; a retry may succeed. */
export class QuotaExceededError extends Error {
  override readonly name = 'QuotaExceededError'
  readonly did: Did

  constructor(did: Did, bytes: number) {
    super(`no room for a visited account; did=${did} bytes=${bytes}`)
    this.did = did
  }
}

/** Keeps what accounts that are only visited take on the disk below a bound. */
export class VisitedQuota {
  readonly #db: Db
  readonly #bytesMax: number
  readonly #now: () => number
  #arrivingBytes = 0

  constructor({ db, bytesMax, now }: { db: Db; bytesMax: number; now: () => number }) {
    this.#db = db
    this.#bytesMax = bytesMax
    this.#now = now
  }

  /** Reserves quota for a version's blobs until it is recorded. Throws QuotaExceededError. */
  async hold(did: Did, bytes: number): Promise<Disposable> {
    if (!(await isVisitedOnly(this.#db, did))) return { [Symbol.dispose]: () => undefined }
    // Counted before it is checked: several arrive at once.
    this.#arrivingBytes += bytes
    const held = {
      [Symbol.dispose]: () => {
        this.#arrivingBytes -= bytes
      },
    }
    const usage = await visitedUsage(this.#db, this.#now() - droppedStoredMs)
    if (usage.bytes + usage.leavingBytes + this.#arrivingBytes <= this.#bytesMax) return held
    held[Symbol.dispose]()
    throw new QuotaExceededError(did, bytes)
  }
}
