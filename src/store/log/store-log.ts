import { withTimeout } from '#concurrency/or-aborted.ts'
import { WakeUp } from '#concurrency/wake-up.ts'
import type { LogQueue } from '#observe/log-queue.ts'
import type { RunningLog } from '#observe/start-log.ts'
import type { Db } from '#store/database/database.ts'
import { DatabaseUnavailableError } from '#store/database/database-unavailable.ts'
import { inTransaction } from '#store/database/transaction.ts'
import { countErrors } from './error-entries.ts'
import { appendLogEntries } from './log-entries.ts'

/** The pause between two batches: so long entries are not in the database yet. */
const everyMsDefault = 500
const batchMax = 500
const retryMs = 5_000
const lastBatchesMsMax = 2_000

interface StoreLogOptions {
  readonly db: Db
  readonly queue: LogQueue
  readonly log: Pick<RunningLog, 'info' | 'warn' | 'unstored'>
  readonly everyMs?: number
}

/**
 * Stores the entries of the queue in batches until it is disposed, which stores what is left if that is quick. While the
 * database is unavailable entries wait; a batch that fails otherwise is dropped. Says so once, and how many were dropped.
 */
export function storeLog({
  db,
  queue,
  log,
  everyMs = everyMsDefault,
}: StoreLogOptions): AsyncDisposable {
  const end = new AbortController()
  let isFailing = false
  let lost = 0

  /** Stores one batch; false: the database is unavailable. */
  async function storeBatch(): Promise<boolean> {
    const batch = queue.first(batchMax)
    try {
      await inTransaction(db, async (transaction) => {
        await appendLogEntries(transaction, batch)
        await countErrors(transaction, batch)
      })
    } catch (error) {
      // Only a line: stored, it would cause the next one.
      if (!isFailing) log.unstored.warn('log not stored', { error })
      isFailing = true
      if (error instanceof DatabaseUnavailableError) return false
      lost += batch.length
    }
    queue.remove(batch.length)
    return true
  }
  async function storeAll(): Promise<boolean> {
    while (queue.length > 0) if (!(await storeBatch())) return false
    lost += queue.takeDropped()
    if (lost > 0) log.warn('log entries dropped', { dropped: lost })
    else if (isFailing) log.info('log stored again')
    isFailing = false
    lost = 0
    return true
  }
  async function run(): Promise<void> {
    const pause = new WakeUp()
    while (!end.signal.aborted) {
      const isStored = await storeAll()
      await pause.wait(isStored ? everyMs : retryMs, end.signal)
    }
  }
  const running = run()
  return {
    async [Symbol.asyncDispose]() {
      end.abort()
      await withTimeout(
        running.then(() => storeAll()),
        lastBatchesMsMax,
        () => undefined,
      )
    },
  }
}
