import {
  deleteDroppedBefore,
  deleteUnmetBefore,
  dropVisited,
  listLeastVisited,
  visitedUsage,
} from '#store/lifecycle/visited-accounts.ts'
import { droppedStoredMs } from './visited-quota.ts'
import type { WorkContext } from './work-context.ts'

/** The other quarter is for blobs that were dropped within the last day and are still stored. */
const namedShare = 3 / 4
/** Accounts that are inactive, or whose sites do not exist, take no bytes: only this limit bounds them. */
export const visitedAccountsMax = 10_000
const unmetKeptMs = 60 * 60 * 1000

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
