import { BlobStorageError } from '#blobs/blob-store.ts'
import type { Lane } from '#concurrency/lane.ts'
import { type LaneShares, Lanes } from '#concurrency/lanes.ts'
import type { Party } from '#concurrency/pace-history.ts'
import type { Log } from '#observe/log.ts'
import { noDiskSpace } from '#site/limits.ts'
import type { Did } from '#site/site-address.ts'
import type { Hints, HintTopic } from '#store/database/hints.ts'
import { outlastDatabase } from '#store/database/outlast-database.ts'

/** So long is an item left alone when the process that took it is killed. */
export const leaseMs = 6_000
const renewEveryMs = 2_000
const lookAgainMs = 2_000
/** So long after a failure at least, by how many there were, whoever asks meanwhile. */
const pausesMs = [1_000, 4_000, 15_000]
/** After the last of them an item is parked. */
export const retriesMs = [15_000, 60_000, 15 * 60_000, 3_600_000, 6 * 3_600_000, 24 * 3_600_000]

/** What waits for free disk space is tried so often, however long that takes: its source is not at fault. */
export const diskRetryMs = 60_000

export interface LeasedItem {
  readonly did: Did
  /** How often it was taken since it was last asked for, this time included. */
  readonly attempts: number
}

/** A queue of the database, as those see it who work on what they took from it. */
export interface LeasedQueue<Item extends LeasedItem> {
  /** What tells of new items. */
  readonly topic: Extract<HintTopic, 'accounts' | 'ingest'>
  /** What the log says of an item that failed, and which one that is. */
  readonly failure: string
  nameOf(item: Item): { readonly [field: string]: unknown }
  /** Keeps a taken item for `leaseMs` from now. */
  renew(item: Item, lease: { now: number; leaseMs: number }): Promise<void>
  finish(item: Item): Promise<void>
  /**
   * It is due again at that time; null: when somebody asks for it, and not before. False when somebody has asked for it
   * meanwhile: it is due at once.
   */
  retry(item: Item, later: RetryLater): Promise<boolean>
  /** Whether one that failed is not worth another try. */
  isHopeless?(item: Item): Promise<boolean>
}

interface RetryLater {
  readonly at: number | null
  readonly error: string | null
  /** This attempt does not count. */
  readonly isFree?: boolean
  /** It is due no earlier, whoever asks for it. */
  readonly notBefore?: number
}

export interface WorkContext {
  readonly log: Log
  readonly now: () => number
  readonly signal: AbortSignal
}

export interface QueueWorker<Item extends LeasedItem> {
  readonly queue: LeasedQueue<Item>
  /** Slow ones aside. */
  readonly atOnce: number
  readonly slowAfterMs?: number | undefined
  /** Takes due items and starts them, as many as there is room for. */
  startDue(lanes: Lanes, start: (item: Item) => void): Promise<void>
  /** Left out: all of it is alike. */
  partyOf?(item: Item): Party
  readonly shares?: LaneShares
  work(item: Item, signal: AbortSignal, lane: Lane): Promise<void>
  /** It takes so long that it takes up no room from now on. */
  onSlow(item: Item): void
  /** Whether one waits that would be taken if there were room. */
  isAnyDue(): Promise<boolean>
  /** When the next item is due, which may be past; null: none is. */
  nextAt?(): Promise<number | null>
}

/**
 * Works off a queue until the signal ends it: a few items at once, failures later again. A database that is
 * away is waited for.
 */
export async function runQueue<Item extends LeasedItem>(
  worker: QueueWorker<Item>,
  context: WorkContext & { readonly hints: Hints },
): Promise<void> {
  const { hints, signal } = context
  const { topic } = worker.queue
  using hinted = hints.subscribe(topic)
  const taken: Taken = { lanes: new Lanes(worker.atOnce, worker), running: new Set() }
  const startAndWait = async (): Promise<void> => {
    await hinted.wait(await startDue(worker, taken, context), signal)
  }
  await outlastDatabase(topic, startAndWait, context)
  await Promise.all(taken.running)
}

interface Taken {
  /** Those that are worked on. */
  readonly lanes: Lanes
  /** Those, and others of which only the row is still to be finished. */
  readonly running: Set<Promise<void>>
}

/** Starts what is due and has room; returns how long nothing else will be. */
async function startDue<Item extends LeasedItem>(
  worker: QueueWorker<Item>,
  taken: Taken,
  context: WorkContext & { readonly hints: Hints },
): Promise<number> {
  const { hints, log, now } = context
  const { queue } = worker
  const { lanes } = taken
  if (lanes.room <= 0 && (await worker.isAnyDue())) lanes.makeRoom()
  await worker.startDue(lanes, (item) => {
    const done = workOn(item, queue, () => workIn(lanes, item, worker, context), context)
      .then(() => {})
      .catch((error) => log.error('queue item stays leased', { ...queue.nameOf(item), error }))
      .finally(() => {
        taken.running.delete(done)
        hints.notify(queue.topic)
      })
    taken.running.add(done)
  })
  // Whatever ends or becomes slow gives a hint.
  const next = lanes.room <= 0 ? null : ((await worker.nextAt?.()) ?? null)
  return next === null ? lookAgainMs : Math.min(Math.max(next - now(), 10), lookAgainMs)
}

async function workIn<Item extends LeasedItem>(
  lanes: Lanes,
  item: Item,
  worker: QueueWorker<Item>,
  { hints, signal }: WorkContext & { readonly hints: Hints },
): Promise<void> {
  const { topic } = worker.queue
  const party = worker.partyOf?.(item)
  try {
    await lanes.start({
      run: (lane) => worker.work(item, AbortSignal.any([signal, lane.signal]), lane),
      onSlow() {
        worker.onSlow(item)
        hints.notify(topic)
      },
      ...(party !== undefined && { party }),
    })
  } finally {
    hints.notify(topic)
  }
}

/** Holds a taken item while `work` goes on, and finishes it. When that fails, it is tried again later: false. */
export async function workOn<Item extends LeasedItem>(
  item: Item,
  queue: LeasedQueue<Item>,
  work: () => Promise<void>,
  context: WorkContext,
): Promise<boolean> {
  const { log, now, signal } = context
  using _ = keepLease(item, queue, context)
  try {
    await work()
    await queue.finish(item)
    return true
  } catch (error) {
    if (signal.aborted) {
      // Stopping is not failing: whoever starts next shall not wait for the lease to run out.
      await queue.retry(item, { at: now(), error: null })
      return false
    }
    if (error instanceof BlobStorageError && error.reason === 'full') {
      log.info('queue item waits for disk space', queue.nameOf(item))
      await queue.retry(item, { at: now() + diskRetryMs, error: noDiskSpace, isFree: true })
      return false
    }
    const { attempts } = item
    const isHopeless = (await queue.isHopeless?.(item)) ?? false
    const wait = isHopeless ? undefined : retriesMs[attempts - 1]
    const at = wait === undefined ? null : now() + wait
    const fields = { ...queue.nameOf(item), attempts, isLast: wait === undefined, error }
    if (isHopeless) {
      log.warn(queue.failure, fields)
      await queue.finish(item)
    } else {
      const notBefore = now() + (pausesMs[attempts - 1] ?? (pausesMs.at(-1) as number))
      const isNewest = await queue.retry(item, { at, error: sentenceOf(error), notBefore })
      // What was replaced while it was read may well fail: what came in its place is read next.
      log[isNewest ? 'warn' : 'debug'](queue.failure, fields)
    }
    return false
  }
}

const sentenceOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

function keepLease<Item extends LeasedItem>(
  item: Item,
  queue: LeasedQueue<Item>,
  { log, now }: WorkContext,
): Disposable {
  const timer = setInterval(() => {
    queue
      .renew(item, { now: now(), leaseMs })
      .catch((error) => log.warn('queue lease not renewed', { ...queue.nameOf(item), error }))
  }, renewEveryMs)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
