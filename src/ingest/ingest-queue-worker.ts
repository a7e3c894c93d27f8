import type { Log } from '#observe/log.ts'
import { parseSiteName } from '#site/site-name.ts'
import type { Db } from '#store/database.ts'
import type { Hints } from '#store/hints.ts'
import {
  finishIngest,
  type IngestItem,
  nextIngestAt,
  retryIngest,
  takeDueIngest,
} from '#store/ingest-queue.ts'
import { type IngestContext, ingestSite } from './ingest-site.ts'

const sitesAtOnce = 4
const leaseMs = 10 * 60 * 1000
const lookAgainMs = 5_000
const retryAfterMs = [15_000, 60_000, 15 * 60_000, 3_600_000, 6 * 3_600_000, 24 * 3_600_000]

interface WorkerContext extends IngestContext {
  readonly hints: Hints
  readonly log: Log
}

/** Works off the ingest queue until the signal ends it: a few sites at once, failures later again. */
export async function runIngestQueue(context: WorkerContext): Promise<void> {
  const { db, hints, now, signal } = context
  using hinted = hints.subscribe('ingest')
  const running = new Set<Promise<void>>()
  while (!signal.aborted) {
    const limit = sitesAtOnce - running.size
    const due = limit > 0 ? await takeDueIngest(db, { now: now(), leaseMs, limit }) : []
    for (const item of due) {
      const work = ingestItem(item, context).finally(() => {
        running.delete(work)
        hints.notify('ingest')
      })
      running.add(work)
    }
    if (due.length === 0) await hinted.wait(await idleMs(db, now()), signal)
  }
  await Promise.all(running)
}

async function ingestItem(item: IngestItem, context: WorkerContext): Promise<void> {
  const { db, hints, log, now, signal } = context
  const name = parseSiteName(item.name)
  if (name === null) return await finishIngest(db, item)
  try {
    const outcome = await ingestSite({ did: item.did, name }, context)
    await finishIngest(db, item)
    hints.notify('changes')
    log.info('site ingested', { did: item.did, site: name, outcome })
  } catch (error) {
    if (signal.aborted) return
    const delayMs = retryAfterMs[Math.min(item.attempts, retryAfterMs.length) - 1] ?? 15_000
    log.warn('ingest failed', { did: item.did, site: name, attempts: item.attempts, error })
    const message = error instanceof Error ? error.message : String(error)
    await retryIngest(db, item, { at: now() + delayMs, error: message })
  }
}

async function idleMs(db: Db, now: number): Promise<number> {
  const next = await nextIngestAt(db)
  return next === null ? lookAgainMs : Math.min(Math.max(next - now, 10), lookAgainMs)
}
