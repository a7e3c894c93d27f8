import { everyOrWhenWoken } from '#concurrency/every-or-when-woken.ts'
import type { Log } from '#observe/log.ts'
import { type Change, keptChangeSeqs, latestChangeSeq, readChanges } from './changes.ts'
import type { Db } from './database.ts'
import { waitForDatabase } from './wait-for-database.ts'
import type { WakeUps } from './wake-ups.ts'

const changesAtOnce = 1000
const pollMsDefault = 500
/** Where each change notifies; a connection that broke silently delays them so long. */
const sharedPollMs = 5_000
/** While the database is unavailable, visitors get what is in memory. */
const pauseMs = 1_000

export interface FeedContext {
  readonly db: Db
  readonly wakeUps: WakeUps
  readonly log: Log
  readonly signal: AbortSignal
  /** Without a wake-up. */
  readonly pollMs?: number
}

/** Its methods return at once and never throw: all subscribers share one reading of the database. */
export interface ChangeSubscriber {
  /** Called at first and when changes were missed: anything in memory may have changed. */
  startAfresh(): void
  /** Called after each reading, even without changes; oldest first, and some may come again. */
  follow(changes: readonly Change[]): void
}

/** Reads `changes` for all subscribers, each change within a second, until the signal aborts. Waits for the database. */
export async function followChanges(
  subscribers: readonly ChangeSubscriber[],
  { db, wakeUps, log, pollMs, signal }: FeedContext,
): Promise<void> {
  using wakeUp = wakeUps.subscribe('changes')
  let seen: number | null = null
  const startAfresh = async (): Promise<number> => {
    seen = await latestChangeSeq(db)
    for (const subscriber of subscribers) subscriber.startAfresh()
    return seen
  }
  const readOn = async (): Promise<number> => {
    const after = seen ?? (await startAfresh())
    // The last one that was read comes again: where it is, none is missing.
    let changes = await readChanges(db, after - 1, changesAtOnce)
    if (changes[0]?.seq !== after && (await areSomeMissing(db, after))) {
      changes = await readChanges(db, (await startAfresh()) - 1, changesAtOnce)
    }
    const last = seen ?? after
    const news = changes.filter(({ seq }) => seq > last)
    for (const subscriber of subscribers) subscriber.follow(news)
    seen = changes.at(-1)?.seq ?? last
    if (changes.length === changesAtOnce) return 0
    return pollMs ?? (wakeUps.areShared ? sharedPollMs : pollMsDefault)
  }
  const onError = waitForDatabase('changes', { log, signal, pauseMs })
  await everyOrWhenWoken(readOn, { signal, wakeUp: wakeUp, onError })
}

/**
 * A process that was suspended for longer than changes are kept has missed some. And a standby that was promoted without
 * the newest changes gives their numbers out again.
 */
async function areSomeMissing(db: Db, after: number): Promise<boolean> {
  const { oldest, newest } = await keptChangeSeqs(db)
  return oldest > after + 1 || newest < after
}
