import type { Log } from '#observe/log.ts'
import { type Change, latestChangeSeq, oldestChangeSeq, readChanges } from './changes.ts'
import type { Db } from './database.ts'
import type { Hints } from './hints.ts'
import { outlastDatabase } from './outlast-database.ts'

const changesAtOnce = 1000
const lookAgainMs = 500
/** While the database is away, visitors get what is in memory; soon after, what is new. */
const pauseMs = 1_000

export interface ReadContext {
  readonly db: Db
  readonly hints: Hints
  readonly log: Log
  readonly signal: AbortSignal
}

interface ChangeReader {
  /** Nobody knows what of all that is in memory has changed: at first, and where changes were missed. */
  startAfresh(): void | Promise<void>
  follow(changes: readonly Change[]): void | Promise<void>
}

/**
 * Tells the reader of every change, oldest first, within a second, until the signal ends it. A database that
 * is away is waited for, under the name `who`; what was not followed by then is told again.
 */
export async function readEveryChange(
  who: string,
  reader: ChangeReader,
  { db, hints, log, signal }: ReadContext,
): Promise<void> {
  using hinted = hints.subscribe('changes')
  let seen: number | null = null
  const startAfresh = async (): Promise<number> => {
    const latest = await latestChangeSeq(db)
    await reader.startAfresh()
    seen = latest
    return latest
  }
  const readOn = async (): Promise<void> => {
    let after = seen ?? (await startAfresh())
    // A process that slept longer than changes are kept has missed some.
    if ((await oldestChangeSeq(db)) > after + 1) after = await startAfresh()
    const changes = await readChanges(db, after, changesAtOnce)
    await reader.follow(changes)
    seen = changes.at(-1)?.seq ?? after
    if (changes.length < changesAtOnce) await hinted.wait(lookAgainMs, signal)
  }
  await outlastDatabase(who, readOn, { log, signal, pauseMs })
}
