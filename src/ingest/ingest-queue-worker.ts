import { RecordUnavailableError } from '#atproto/verified-record.ts'
import type { Log } from '#observe/log.ts'
import type { Did } from '#site/site-address.ts'
import { parseSiteName } from '#site/site-name.ts'
import type { Db } from '#store/database.ts'
import type { Hints } from '#store/hints.ts'
import {
  finishIngest,
  type IngestItem,
  nextIngestAt,
  renewIngestLease,
  retryIngest,
  takeDueIngest,
} from '#store/ingest-queue.ts'
import { outlastDatabase } from '#store/outlast-database.ts'
import { checkAccount } from './check-account.ts'
import { type IngestContext, ingestSite } from './ingest-site.ts'

const sitesAtOnce = 4
/** So long is a site left alone when the process that looked at it is killed. */
const leaseMs = 6_000
const renewEveryMs = 2_000
const lookAgainMs = 5_000
const firstRetryMs = 15_000
const laterRetriesMs = [60_000, 15 * 60_000, 3_600_000, 6 * 3_600_000, 24 * 3_600_000]

interface WorkerContext extends IngestContext {
  readonly hints: Hints
  readonly log: Log
}

/**
 * Works off the ingest queue until the signal ends it: a few sites at once, failures later again. A
 * database that is away is waited for.
 */
export async function runIngestQueue(context: WorkerContext): Promise<void> {
  const { hints, signal } = context
  using hinted = hints.subscribe('ingest')
  const running = new Set<Promise<void>>()
  const startAndWait = async (): Promise<void> => {
    await hinted.wait(await startDue(running, context), signal)
  }
  await outlastDatabase('ingest', startAndWait, context)
  await Promise.all(running)
}

/** Starts what is due and has room; returns how long nothing else will be. */
async function startDue(running: Set<Promise<void>>, context: WorkerContext): Promise<number> {
  const { db, hints, log, now } = context
  const limit = sitesAtOnce - running.size
  // Whatever ends gives a hint.
  if (limit === 0) return lookAgainMs
  const due = await takeDueIngest(db, { now: now(), leaseMs, limit })
  for (const item of due) {
    const work = ingestItem(item, context)
      .catch((error) => log.error('ingest item stays leased', { did: item.did, error }))
      .finally(() => {
        running.delete(work)
        hints.notify('ingest')
      })
    running.add(work)
  }
  return due.length === limit ? lookAgainMs : await idleMs(db, now())
}

async function ingestItem(item: IngestItem, context: WorkerContext): Promise<void> {
  const { db, hints, log, now, signal } = context
  const name = parseSiteName(item.name)
  if (name === null) return await finishIngest(db, item)
  using _ = keepLease(item, context)
  try {
    const outcome = await ingestSite({ did: item.did, name }, context)
    await finishIngest(db, item)
    hints.notify('changes')
    log.info('site ingested', { did: item.did, site: name, outcome })
  } catch (error) {
    if (signal.aborted) {
      // Stopping is not failing: whoever starts next shall not wait for the lease to run out.
      return await retryIngest(db, item, { at: now(), error: 'stopped' })
    }
    log.warn('ingest failed', { did: item.did, site: name, attempts: item.attempts, error })
    if (isAboutAccount(error)) await checkAccountAgain(item.did, context)
    const message = error instanceof Error ? error.message : String(error)
    await retryIngest(db, item, { at: now() + retryAfterMs(item.attempts), error: message })
  }
}

/** The account may have gone away without an event that we heard. */
const isAboutAccount = (error: unknown): boolean =>
  error instanceof RecordUnavailableError && /^Repo[A-Z]/.test(error.code ?? '')

async function checkAccountAgain(did: Did, context: WorkerContext): Promise<void> {
  try {
    await checkAccount(did, context)
  } catch (error) {
    context.log.warn('account not checked', { did, error })
  }
}

function keepLease(item: IngestItem, { db, log, now }: WorkerContext): Disposable {
  const timer = setInterval(() => {
    renewIngestLease(db, item, { now: now(), leaseMs }).catch((error) =>
      log.warn('ingest lease not renewed', { did: item.did, error }),
    )
  }, renewEveryMs)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/** How long to wait after so many attempts, of which there was one at least. */
export function retryAfterMs(attempts: number): number {
  return laterRetriesMs[Math.min(attempts - 1, laterRetriesMs.length) - 1] ?? firstRetryMs
}

async function idleMs(db: Db, now: number): Promise<number> {
  const next = await nextIngestAt(db)
  return next === null ? lookAgainMs : Math.min(Math.max(next - now, 10), lookAgainMs)
}
