import { setTimeout } from 'node:timers/promises'
import { type FirehoseEvent, followFirehose } from '#atproto/firehose.ts'
import type { Log } from '#observe/log.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { parseSiteName } from '#site/site-name.ts'
import { findAccount } from '#store/accounts.ts'
import type { Db } from '#store/database.ts'
import { DatabaseUnavailableError } from '#store/database-unavailable.ts'
import { readFirehoseCursor, saveFirehoseCursor } from '#store/firehose-cursors.ts'
import type { Hints } from '#store/hints.ts'
import { enqueueIngest } from '#store/ingest-queue.ts'

const collections = new Set(['place.sitehost.fs'])
const cursorEveryEvents = 1000
const lookAgainMs = 5_000

interface FollowContext {
  readonly db: Db
  readonly hints: Hints
  readonly log: Log
  readonly firehoseUrl: string
  readonly now: () => number
  readonly signal: AbortSignal
}

/**
 * Turns events about sites of known accounts into rows of the ingest queue, until the signal ends it.
 * The cursor is saved only after the rows that it covers. A database that is away is waited for.
 */
export async function followSites(context: FollowContext): Promise<void> {
  const { log, signal } = context
  while (!signal.aborted) {
    try {
      await followFromCursor(context)
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError)) throw error
      log.warn('firehose waits for the database', { error })
      await setTimeout(lookAgainMs, undefined, { signal }).catch(() => undefined)
    }
  }
}

async function followFromCursor(context: FollowContext): Promise<void> {
  const { db, firehoseUrl, hints, log, now, signal } = context
  let cursor = await readFirehoseCursor(db, firehoseUrl)
  let unsaved = 0
  const events = followFirehose({
    url: firehoseUrl,
    cursor: () => cursor,
    collections,
    signal,
    onProblem: tellOnceAMinute(now, (problem) =>
      log.warn('firehose problem', { problem, source: firehoseUrl }),
    ),
    onFutureCursor: () => {
      log.warn('firehose starts anew', { cursor, source: firehoseUrl })
      // All that it has is newer than what we know; a site that is looked at twice is no harm.
      cursor = 0
    },
  })
  for await (const event of events) {
    const sites = await knownSites(db, event)
    if (sites.length > 0) {
      await enqueueIngest(db, sites, now())
      hints.notify('ingest')
    }
    cursor = event.seq
    unsaved += 1
    if (sites.length > 0 || unsaved >= cursorEveryEvents) {
      await saveFirehoseCursor(db, firehoseUrl, cursor, now())
      unsaved = 0
    }
  }
}

async function knownSites(db: Db, { touched }: FirehoseEvent): Promise<SiteAddress[]> {
  const sites = touched.flatMap(({ did, rkey }) => {
    const name = parseSiteName(rkey)
    return name === null ? [] : [{ did, name }]
  })
  const [first] = sites
  if (first === undefined || (await findAccount(db, first.did)) === null) return []
  return sites
}

const sameProblemMs = 60_000

/** A source that is away fails with every attempt; one line a minute is enough to know. */
function tellOnceAMinute(
  now: () => number,
  tell: (problem: string) => void,
): (problem: string) => void {
  const told = new Map<string, number>()
  return (problem) => {
    if (now() - (told.get(problem) ?? Number.NEGATIVE_INFINITY) < sameProblemMs) return
    told.set(problem, now())
    tell(problem)
  }
}
