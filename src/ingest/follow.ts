import { type FirehoseEvent, followFirehose } from '#atproto/firehose.ts'
import type { Log } from '#observe/log.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { parseSiteName } from '#site/site-name.ts'
import { findAccount } from '#store/accounts.ts'
import type { Db } from '#store/database.ts'
import { readFirehoseCursor, saveFirehoseCursor } from '#store/firehose-cursors.ts'
import type { Hints } from '#store/hints.ts'
import { enqueueIngest } from '#store/ingest-queue.ts'
import { outlastDatabase } from '#store/outlast-database.ts'
import { listSiteNames } from '#store/sites.ts'

const partCollection = 'place.sitehost.subfs'
const collections = new Set(['place.sitehost.fs', partCollection])
const cursorEveryEvents = 1000

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
 * A part does not say which sites hold it: when one changes, every site of the account is looked at.
 * The cursor is saved only after the rows that it covers. A database that is away is waited for.
 */
export async function followSites(context: FollowContext): Promise<void> {
  await outlastDatabase('firehose', () => followFromCursor(context), context)
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

/** An event is one commit, of one account. */
async function knownSites(db: Db, { touched }: FirehoseEvent): Promise<SiteAddress[]> {
  const [first] = touched
  if (first === undefined || (await findAccount(db, first.did)) === null) return []
  const { did } = first
  const isPart = ({ collection }: { collection: string }) => collection === partCollection
  const sites = touched
    .filter((record) => !isPart(record))
    .flatMap(({ rkey }) => parseSiteName(rkey) ?? [])
  const holders = touched.some(isPart) ? await listSiteNames(db, did) : []
  return [...new Set([...sites, ...holders])].map((name) => ({ did, name }))
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
