import { join } from 'node:path'
import type { Config } from '#main/config/config.ts'
import { servicePartsOf } from '#main/process/data-lock.ts'
import { instanceIdIn } from '#main/process/instance-id.ts'
import { renewalMsMax, takeServiceLease } from '#main/process/service-lease.ts'
import type { StartError } from '#main/process/start-failure.ts'
import type { LogQueue } from '#observe/log-queue.ts'
import type { RunningLog } from '#observe/start-log.ts'
import { Spool } from '#publish/upload/spool.ts'
import { type Db, openDatabase } from '#store/database/database.ts'
import { storeLog } from '#store/log/store-log.ts'
import { openStores } from './stores.ts'

interface ServiceStoresOptions {
  readonly config: Config
  readonly log: RunningLog
  readonly logQueue: LogQueue
  readonly signal: AbortSignal
}

/** The stores of a service: claimed by its parts, with their log in them, swept; and the spool. `opened` closes them. */
export async function openServiceStores(
  options: ServiceStoresOptions,
  opened: AsyncDisposableStack,
  onLost: (reason: StartError) => void,
) {
  const { databaseUrl: url, dataDir, isOneOfSeveral, roles, spoolBytesMax } = options.config
  // SQLite is in the data folder, whose lock covers the database as well.
  const renewalDb =
    url === undefined
      ? null
      : opened.use(openDatabase({ url, connectionsMax: 1, answerMsMax: renewalMsMax })).db
  const claim =
    renewalDb &&
    (async (db: Db): Promise<void> => {
      const lease = { ...options, isOneOfSeveral, renewalDb, onLost }
      for (const part of servicePartsOf(roles)) {
        opened.use(await takeServiceLease(db, { ...lease, part }))
      }
    })
  // Two processes may share the data folder, and a folder of copies has one owner.
  const copiesIn = roles.hosting ? 'blob-copies' : 'blob-copies-of-app'
  const stores = await openStores({ ...options, copiesIn, ...(claim && { claim }) }, opened)
  opened.use(storeLog({ db: stores.db, queue: options.logQueue, log: options.log }))
  await stores.blobs.sweep(Date.now())
  const { floor } = stores
  const instance = isOneOfSeveral ? await instanceIdIn(dataDir) : ''
  const spool = new Spool(join(dataDir, 'spool'), { bytesMax: spoolBytesMax, floor, instance })
  return { ...stores, renewalDb, spool }
}
