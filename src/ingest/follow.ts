import { followFirehose } from '#atproto/follow-firehose.ts'
import { readFirehoseCursor, saveFirehoseCursor } from '#store/firehose-cursors.ts'
import { outlastDatabase } from '#store/outlast-database.ts'
import { type EventContext, partCollection, queueEvent } from './queue-event.ts'

const collections = new Set(['place.sitehost.fs', 'place.sitehost.settings', partCollection])
const cursorEveryMs = 1000

interface FollowContext extends EventContext {
  readonly firehoseUrl: string
  readonly signal: AbortSignal
}

/**
 * Turns events about accounts and sites into rows of the queues, until the signal ends it. The cursor is
 * saved only after the rows that it covers. A database that is away is waited for.
 */
export async function followSites(context: FollowContext): Promise<void> {
  await outlastDatabase('firehose', () => followFromCursor(context), context)
}

async function followFromCursor(context: FollowContext): Promise<void> {
  const { db, firehoseUrl, log, now, signal } = context
  let savedAt = now()
  const events = followFirehose({
    url: firehoseUrl,
    cursor: await readFirehoseCursor(db, firehoseUrl),
    collections,
    signal,
    onProblem: tellOnceAMinute(now, (problem) =>
      log.warn('firehose problem', { problem, source: firehoseUrl }),
    ),
  })
  for await (const event of events) {
    const isQueued = await queueEvent(event, context)
    if (event.cursor !== null && (isQueued || now() - savedAt >= cursorEveryMs)) {
      await saveFirehoseCursor(db, firehoseUrl, event.cursor, now())
      savedAt = now()
    }
  }
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
