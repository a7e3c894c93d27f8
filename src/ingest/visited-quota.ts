import type { Did } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import {
  deleteDroppedBefore,
  deleteUnmetBefore,
  dropVisited,
  isVisitedOnly,
  listLeastVisited,
  visitedUsage,
} from '#store/lifecycle/visited-accounts.ts'
import { garbageKeptMs } from './blobs/collect-garbage.ts'
import type { WorkContext } from './work-context.ts'

/** Marks are set once an hour and acted on once an hour: so long are bytes stored after nothing names them. */
export const droppedStoredMs = garbageKeptMs + 2 * 60 * 60 * 1000
/** The other quarter is for blobs that were dropped within the last day and are still stored. */
const namedShare = 3 / 4
/** Accounts that are inactive, or whose sites do not exist, take no bytes: only this limit bounds them. */
export const visitedAccountsMax = 10_000
const unmetKeptMs = 60 * 60 * 1000

/** The quota of accounts that are only visited is used up; a retry may succeed. */
export class QuotaExceededError extends Error {
  override readonly name = 'QuotaExceededError'
  readonly did: Did

  constructor(did: Did, bytes: number) {
    super(`quota of visited accounts exceeded; did=${did} bytes=${bytes}`)
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

  /**
   * Reserves quota for a version's blobs until it is recorded. `bytesOf` is called for accounts that are only visited; 0
   * needs no quota. Throws QuotaExceededError.
   */
  async reserve(did: Did, bytesOf: () => number | Promise<number>): Promise<Disposable> {
    using reserved = new DisposableStack()
    if (!(await isVisitedOnly(this.#db, did))) return reserved.move()
    const bytes = await bytesOf()
    if (bytes === 0) return reserved.move()
    // Counted before the check: several may arrive at the same time.
    this.#arrivingBytes += bytes
    reserved.defer(() => {
      this.#arrivingBytes -= bytes
    })
    const usage = await visitedUsage(this.#db, this.#now() - droppedStoredMs)
    const usedBytes = usage.bytes + usage.droppedBytes + this.#arrivingBytes
    if (usedBytes > this.#bytesMax) throw new QuotaExceededError(did, bytes)
    return reserved.move()
  }
}

interface DropContext extends WorkContext {
  /** Quota of all accounts that are only visited; 0: none stays. */
  readonly visitedBytesMax: number
}

/** Drops accounts that are only visited, least recently visited first, until they are within their quotas. */
export async function dropLeastVisited(context: DropContext): Promise<number> {
  const { db, wakeUps, log, now, signal, visitedBytesMax } = context
  await deleteDroppedBefore(db, now() - droppedStoredMs)
  await deleteUnmetBefore(db, now() - unmetKeptMs)
  let dropped = 0
  while (!signal.aborted && (await isCrowded(context))) {
    const [did] = await listLeastVisited(db, 1)
    if (did === undefined) break
    const bytes = await dropVisited(db, did, now())
    wakeUps.notify('changes')
    log.info('visited account dropped', { did, bytes, visitedBytesMax })
    dropped += 1
  }
  return dropped
}

async function isCrowded({ db, now, visitedBytesMax }: DropContext): Promise<boolean> {
  if (visitedBytesMax === 0) return true
  const { accounts, bytes } = await visitedUsage(db, now())
  return accounts > visitedAccountsMax || bytes > visitedBytesMax * namedShare
}
