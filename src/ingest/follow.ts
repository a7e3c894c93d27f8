import type { FirehoseEvent } from '#atproto/firehose/firehose-format.ts'
import type { FirehoseStatus } from '#atproto/firehose/firehose-status.ts'
import { followFirehoseInBatches } from '#atproto/firehose/follow-firehose.ts'
import { everyOrWhenWoken } from '#concurrency/every-or-when-woken.ts'
import { TtlMap } from '#concurrency/lru-map.ts'
import { ownNamespace } from '#site/namespace.ts'
import { inTransaction } from '#store/database/transaction.ts'
import { waitForDatabase } from '#store/database/wait-for-database.ts'
import type { Term } from '#store/duties.ts'
import { readFirehoseCursor, saveFirehoseCursor } from '#store/sites/firehose-cursors.ts'
import { type EventContext, queueAll, queueEvents } from './queue-event.ts'
import type { WorkContext } from './work-context.ts'

const cursorEveryMs = 1000
/** Events in one commit: other writers wait for it. */
const batchMax = 200
const sameProblemMs = 60_000
const problemsMax = 1_000

interface FollowContext extends EventContext, WorkContext {
  readonly firehoseUrl: string
  readonly firehose?: FirehoseStatus
  /** In which this instance reads the firehose for all: a late one does not move the cursor. */
  readonly term: Pick<Term, 'lock'>
}

/**
 * Enqueues what events are about, until the signal aborts. Saves the cursor only together with the rows that it covers.
 * Throws DutyLostError.
 */
export async function followSites(context: FollowContext): Promise<void> {
  const follow = async (): Promise<number> => {
    await followFromCursor(context)
    return 0
  }
  const onError = waitForDatabase('firehose', context)
  await everyOrWhenWoken(follow, { signal: context.signal, onError })
}

async function followFromCursor(context: FollowContext): Promise<void> {
  const { alsoServe = [], db, firehose, firehoseUrl, log, signal } = context
  let savedAt = performance.now()
  // An unavailable source fails on every attempt; one log line a minute is enough.
  const logged = new TtlMap<string, true>({
    max: problemsMax,
    ttlMs: sameProblemMs,
    now: () => performance.now(),
  })
  const options = {
    url: firehoseUrl,
    cursor: await readFirehoseCursor(db, firehoseUrl),
    collections: new Set<string>([
      ...[ownNamespace, ...alsoServe].flatMap(({ fs, subfs, settings }) => [fs, subfs, settings]),
      ownNamespace.version,
    ]),
    signal,
    ...(firehose !== undefined && { status: firehose }),
    onProblem: (problem: string): void => {
      if (logged.get(problem)) return
      logged.set(problem, true)
      log.warn('firehose problem', { problem, source: firehoseUrl })
    },
  }
  for await (const events of followFirehoseInBatches(options, batchMax)) {
    if (await queueBatch(events, performance.now() - savedAt >= cursorEveryMs, context)) {
      savedAt = performance.now()
    }
  }
}

/** Enqueues in one commit with the cursor; a batch without rows saves it only when due. Returns whether it was saved. */
async function queueBatch(
  events: readonly FirehoseEvent[],
  isCursorDue: boolean,
  context: FollowContext,
): Promise<boolean> {
  const { at, db, firehoseUrl, now, term } = context
  at?.('event-received')
  for (const event of events) {
    // In commits of their own, before the cursor: there may be a hundred thousand accounts.
    if (event.kind === 'gap') await queueAll(event.reason, context)
  }
  if (!isCursorDue && events.every(({ kind }) => kind === 'passed')) return false
  const cursor = events.findLast((event) => event.cursor !== null)?.cursor ?? null
  const isSaved = await inTransaction(db, async (transaction) => {
    await term.lock(transaction)
    const isAnyQueued = await queueEvents(events, { ...context, db: transaction })
    at?.('event-queued')
    if (cursor === null || !(isAnyQueued || isCursorDue)) return false
    await saveFirehoseCursor(transaction, firehoseUrl, cursor, now())
    return true
  })
  if (isSaved) at?.('cursor-stored')
  return isSaved
}
