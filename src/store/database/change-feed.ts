import { everyOrWhenWoken } from '#concurrency/every-or-when-woken.ts'
import type { Log } from '#observe/log.ts'
import { type Change, latestChangeSeq, oldestChangeSeq, readChanges } from './changes.ts'
import type { Db } from './database.ts'
import { waitForDatabase } from './wait-for-database.ts'
import type { WakeUps } from './wake-ups.ts'

const changesAtOnce = 1000
const lookAgainMs = 500
/** While the database is away, visitors get what is in memory; soon after, what is new. */
const pauseMs = 1_000

export interface FeedContext {
  readonly db: Db
  readonly wakeUps: WakeUps
  readonly log: Log
  readonly signal: AbortSignal
}

/** Returns at once and never throws: all subscribers share one look at the database. */
export interface ChangeSubscriber {
  /** Nobody knows what of all that is in memory has changed: at first, and where changes were missed. */
  startAfresh(): void
  /** After each look, also one that found nothing; oldest first, and some may come again. */
  follow(changes: readonly Change[]): void
}

/**
 * Reads `changes` once for all subscribers, each within a second, until the signal ends it. A database that is away is
 * waited for.
 */
export async function followChanges(
  subscribers: readonly ChangeSubscriber[],
  { db, wakeUps, log, signal }: FeedContext,
): Promise<void> {
  using wakeUp = wakeUps.subscribe('changes')
  let seen: number | null = null
  const startAfresh = async (): Promise<number> => {
    seen = await latestChangeSeq(db)
    for (const subscriber of subscribers) subscriber.startAfresh()
    return seen
  }
  const readOn = async (): Promise<number> => {
    let after = seen ?? (await startAfresh())
    // A process that slept longer than changes are kept has missed some.
    if ((await oldestChangeSeq(db)) > after + 1) after = await startAfresh()
    const changes = await readChanges(db, after, changesAtOnce)
    for (const subscriber of subscribers) subscriber.follow(changes)
    seen = changes.at(-1)?.seq ?? after
    return changes.length < changesAtOnce ? lookAgainMs : 0
  }
  const onError = waitForDatabase('changes', { log, signal, pauseMs })
  await everyOrWhenWoken(readOn, { signal, wakeUp: wakeUp, onError })
}
