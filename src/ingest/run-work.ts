import { BlobStorageError } from '#blobs/blob-store.ts'
import { everyOrWhenWoken } from '#concurrency/every-or-when-woken.ts'
import { type Lane, PreemptedError } from '#concurrency/lane.ts'
import { type LaneShares, Lanes } from '#concurrency/lanes.ts'
import type { Party } from '#concurrency/pace-history.ts'
import { inTrace, traceOf } from '#observe/trace.ts'
import { noDiskSpace } from '#site/limits.ts'
import type { WorkKind } from '#store/database/schema.ts'
import { waitForDatabase } from '#store/database/wait-for-database.ts'
import type { WakeUpSubscription } from '#store/database/wake-ups.ts'
import { finishItem, renewItem, retryItem, type WorkItem } from '#store/queues/work-items.ts'
import { SiteFirstError, siteFirstRetryMs } from './site-first.ts'
import type { WorkContext } from './work-context.ts'

/** How long an item stays leased when its process is killed. */
export const leaseMs = 6_000
const renewEveryMs = 2_000
const pollMs = 2_000
/** Where enqueuing notifies. */
const sharedPollMs = 5_000
/** Shortest pause after the first, second and further failures of a site or version, even if it is enqueued again meanwhile. */
const pausesMs = [1_000, 4_000, 15_000]
/** After the last one an item is parked. */
export const retriesMs = [15_000, 60_000, 15 * 60_000, 3_600_000, 6 * 3_600_000, 24 * 3_600_000]

/** Retry interval of items that wait for free disk space, without limit: their source is not at fault. */
export const diskRetryMs = 60_000
/** Retry interval of sites and versions that were preempted, without limit. */
const preemptedRetryMs = 15_000

/** How items of one kind are worked on. */
export interface WorkHandler {
  readonly kind: WorkKind
  /** Quick lanes; slow items have their own (`Lanes`). */
  readonly atOnce: number
  /** Lanes for slow items. */
  readonly detachedMax?: number
  readonly slowAfterMs?: number | undefined
  /** Takes due items and starts them, within the capacity of the lanes. Returns whether none is left that another process could start. */
  startDue(lanes: Lanes, start: (item: WorkItem) => void): Promise<boolean>
  /** Left out: no item has a party. */
  partyOf?(item: WorkItem): Party
  readonly shares?: LaneShares
  work(item: WorkItem, signal: AbortSignal, lane: Lane): Promise<void>
  /** Called when the item has ended, or is slow and no longer counts. */
  release(item: WorkItem): void
  /** Whether an item waits that a free quick lane would start. */
  isAnyDue(lanes: Lanes): Promise<boolean>
  /** When the next item that can be taken is due, possibly in the past; null: none. Left out: the queue is polled. */
  nextAt?(): Promise<number | null>
  /** Whether a failed item gets no further attempt. */
  isHopeless?(item: WorkItem): Promise<boolean>
}

/**
 * Processes the items of these kinds until the signal is aborted: a few of each kind at a time, with retries. An item
 * that has failed for days is parked: it stays in the queue until it is enqueued again. Waits while the database is
 * unavailable.
 */
export async function runWork(
  handlers: readonly WorkHandler[],
  context: WorkContext,
): Promise<void> {
  await Promise.all(handlers.map((handler) => runKind(handler, context)))
}

async function runKind(handler: WorkHandler, context: WorkContext): Promise<void> {
  const { log, now, wakeUps, signal } = context
  // Woken also when work ends or becomes slow, which frees a lane.
  using wakeUp = wakeUps.subscribe(handler.kind)
  const lanes = new Lanes(handler.atOnce, handler)
  /** In progress, including those that only have to finish their row. */
  const attempts = new Set<Promise<void>>()

  async function attemptItem(item: WorkItem): Promise<void> {
    try {
      await workOn(item, () => workInLane(item, handler, lanes, wakeUp, signal), context, handler)
    } catch (error) {
      log.error('work item stays leased', { ...fieldsOf(item), error })
    }
  }
  function start(item: WorkItem): void {
    const attempt = inTrace(traceOf(item.traceId), () => attemptItem(item)).finally(() => {
      attempts.delete(attempt)
      wakeUp.wake()
    })
    attempts.add(attempt)
  }
  /** Returns the milliseconds until the next run. */
  async function startDue(): Promise<number> {
    if (lanes.capacity <= 0 && (await handler.isAnyDue(lanes))) lanes.preemptSlow()
    const isAllStarted = await handler.startDue(lanes, start)
    // What came meanwhile is for the next pass.
    if (isAllStarted && !wakeUp.isWoken) wakeUps.settle(handler.kind)
    const next = lanes.capacity <= 0 ? null : ((await handler.nextAt?.()) ?? null)
    const msMax = wakeUps.areShared ? sharedPollMs : pollMs
    return next === null ? msMax : Math.min(Math.max(next - now(), 10), msMax)
  }
  const onError = waitForDatabase(`${handler.kind} work`, context)
  await everyOrWhenWoken(startDue, { signal, wakeUp, onError })
  await Promise.all(attempts)
}

async function workInLane(
  item: WorkItem,
  handler: WorkHandler,
  lanes: Lanes,
  wakeUp: WakeUpSubscription,
  signal: AbortSignal,
): Promise<void> {
  const party = handler.partyOf?.(item)
  const release = (): void => {
    handler.release(item)
    wakeUp.wake()
  }
  try {
    await lanes.start({
      run: (lane) => workUnlessPreempted(item, handler, lane, signal),
      onSlow: release,
      ...(party !== undefined && { party }),
    })
  } finally {
    release()
  }
}

/** Throws PreemptedError when the work fails after its lane was preempted. */
async function workUnlessPreempted(
  item: WorkItem,
  handler: WorkHandler,
  lane: Lane,
  signal: AbortSignal,
): Promise<void> {
  try {
    await handler.work(item, AbortSignal.any([signal, lane.signal]), lane)
  } catch (cause) {
    if (lane.signal.aborted) throw new PreemptedError({ cause })
    throw cause
  }
}

const failures: Record<WorkKind, string> = {
  site: 'ingest failed',
  version: 'version not read',
  account: 'account check failed',
}

function fieldsOf({ kind, did, site }: WorkItem) {
  switch (kind) {
    case 'site':
      return { did, site }
    case 'version':
      return { did, key: site }
    case 'account':
      return { did }
  }
}

/** Keeps the item's lease during `work`, then finishes it. Returns false when that fails; the item is retried or given up. */
export async function workOn(
  item: WorkItem,
  work: () => Promise<void>,
  context: WorkContext,
  { isHopeless }: Pick<WorkHandler, 'isHopeless'> = {},
): Promise<boolean> {
  const { db, log, now, signal } = context
  const { attempts, kind } = item
  using _ = keepLease(item, context)
  try {
    await work()
    await finish(item, context)
    return true
  } catch (error) {
    if (signal.aborted) {
      // Stopping is not a failure: the next process must not wait for the lease to expire.
      await retryItem(db, item, { at: now(), error: null })
      return false
    }
    if (error instanceof BlobStorageError && error.reason === 'full') {
      log.info('work item waits for disk space', fieldsOf(item))
      const at = now() + diskRetryMs
      await retryItem(db, item, { at, error: noDiskSpace, isFree: true })
      return false
    }
    if (error instanceof SiteFirstError) {
      const at = now() + siteFirstRetryMs
      await retryItem(db, item, { at, error: null, isFree: true })
      return false
    }
    // Anybody can make up accounts, which have to be parked at last.
    if (error instanceof PreemptedError && kind !== 'account') {
      log.info('work item preempted', fieldsOf(item))
      const at = now() + preemptedRetryMs
      await retryItem(db, item, { at, error: error.message, isFree: true, notBefore: at })
      return false
    }
    const isGivenUp = (await isHopeless?.(item)) ?? false
    const wait = isGivenUp ? undefined : retriesMs[attempts - 1]
    const fields = { ...fieldsOf(item), attempts, isLast: wait === undefined, error }
    if (isGivenUp) {
      log.warn(failures[kind], fields)
      await finish(item, context)
    } else {
      const isNewest = await retryItem(db, item, {
        at: wait === undefined ? null : now() + wait,
        error: sentenceOf(error),
        // An account is read again at once after an event.
        ...(kind !== 'account' && { notBefore: now() + pauseAfter(attempts) }),
      })
      // A record that is replaced while it is read may fail: the new one is read next.
      log[isNewest ? 'warn' : 'debug'](failures[kind], fields)
    }
    return false
  }
}

async function finish(item: WorkItem, { at, db }: WorkContext): Promise<void> {
  await finishItem(db, item)
  at?.(`${item.kind}-finished`)
}

const pauseAfter = (attempts: number): number =>
  pausesMs[attempts - 1] ?? (pausesMs.at(-1) as number)

const sentenceOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

function keepLease(item: WorkItem, { db, log, now }: WorkContext): Disposable {
  const timer = setInterval(() => {
    renewItem(db, item, { now: now(), leaseMs }).catch((error) =>
      log.warn('work item lease not renewed', { ...fieldsOf(item), error }),
    )
  }, renewEveryMs)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
