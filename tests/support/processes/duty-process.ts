// `bun duty-process.ts <database URL>`: does the duty `firehose` while it has it, one row of `firehose_cursors` after the other, each
// in a transaction that locks the duty.
import { everyOrWhenWoken } from '#concurrency/every-or-when-woken.ts'
import { openDatabase } from '#store/database/database.ts'
import { inTransaction } from '#store/database/transaction.ts'
import { waitForDatabase } from '#store/database/wait-for-database.ts'
import { LeasedDuties } from '#store/duties.ts'
import { saveFirehoseCursor } from '#store/sites/firehose-cursors.ts'

const [url = ''] = process.argv.slice(2)
await using database = openDatabase({ url, answerMsMax: 60_000 })
await using renewals = openDatabase({ url, connectionsMax: 1, answerMsMax: 1_000 })
const quiet = (): void => {}
const { signal } = new AbortController()
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet }
const times = { leaseMs: 600, renewEveryMs: 100 }
await new LeasedDuties({ db: renewals.db, log, signal, ...times }).run('firehose', async (term) => {
  let written = 0
  const write = async (): Promise<number> => {
    await inTransaction(database.db, async (transaction) => {
      await term.lock(transaction)
      const source = `${process.pid} ${term.epoch} ${written++}`
      await saveFirehoseCursor(transaction, source, term.epoch, Date.now())
    })
    return 1
  }
  // PostgreSQL ends the connection of a transaction in which it was suspended; it goes on with another one, as the service does.
  const onError = waitForDatabase('firehose', { log, signal, pauseMs: 10 })
  // Deaf to the term's signal: the lock alone has to stop it.
  await everyOrWhenWoken(write, { signal, onError })
})
