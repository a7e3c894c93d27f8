import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ifExists } from '#blobs/storage-calls.ts'
import type { DataOptions } from '#cli/program.ts'
import type { SyncContext } from '#ingest/sync-account.ts'
import { VisitedQuota } from '#ingest/visited-quota.ts'
import { type Config, readConfig } from '#main/config/config.ts'
import { startProcessLog } from '#main/process/process-log.ts'
import { readAnnouncement } from '#main/process/service-address.ts'
import { StartError } from '#main/process/start-failure.ts'
import { createOutbound } from '#main/service/outbound.ts'
import { requestPools } from '#main/service/request-pools.ts'
import { openStores, type Stores } from '#main/service/stores.ts'
import type { Log } from '#observe/log.ts'
import { LogQueue } from '#observe/log-queue.ts'
import { Tally } from '#observe/tally.ts'
import type { LookUp } from '#outbound/dns/look-up.ts'
import { appendEventCounts } from '#store/database/changes.ts'
import { storeLog } from '#store/log/store-log.ts'

export interface Upkeep extends SyncContext, AsyncDisposable {
  readonly config: Config
  readonly lookUp: LookUp
}

interface UpkeepOptions extends DataOptions {
  readonly mayBeNew?: boolean
  /** Whether what the command does belongs in the log of the service: as lines, and stored. Otherwise only errors are written. */
  readonly isLogged?: boolean
}

/**
 * Opens the data folder for a command, also while the service runs: both use the same queues. Throws StartError for a
 * folder without data, unless it `mayBeNew`, and to root for another user's folder.
 */
export async function openUpkeep(
  { data, isLogged = false, mayBeNew = false }: UpkeepOptions,
  signal: AbortSignal,
): Promise<Upkeep> {
  await using opened = new AsyncDisposableStack()
  const settings = readConfig({
    ...(!isLogged && { LOG_LEVEL: 'error' }),
    ...(data !== undefined && { DATA_DIR: data }),
  })
  const announced = await readAnnouncement(settings.dataDir, 'app')
  const config = { ...settings, origin: announced?.origin ?? settings.origin }
  if (!mayBeNew) await assertUsed(config)
  await assertOwnFolder(config.dataDir)
  const queue = new LogQueue()
  const events = new Tally<string>()
  const log = opened.use(
    await startProcessLog(config, {
      service: 'main-app',
      ...(isLogged && { onEntry: queue.add, onEvent: (event) => events.add(event) }),
    }),
  )
  const stores = await openStores({ config, log }, opened)
  if (isLogged) {
    opened.use(storeLog({ db: stores.db, queue, log }))
    opened.defer(() => tellEvents(stores, events, log))
  }
  const open = opened.move()
  return {
    ...stores,
    ...createOutbound({ config, pool: requestPools.sites, signal }),
    config,
    log,
    signal,
    limits: config.limits,
    alsoServe: config.alsoServe,
    visitedQuota: new VisitedQuota({
      db: stores.db,
      bytesMax: config.visitedBytesMax,
      now: Date.now,
    }),
    now: Date.now,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

/** The running service counts what the command has recorded. */
async function tellEvents(
  { db, wakeUps }: Pick<Stores, 'db' | 'wakeUps'>,
  { counts }: Tally<string>,
  log: Log,
): Promise<void> {
  if (Object.keys(counts).length === 0) return
  try {
    await appendEventCounts(db, counts, Date.now())
    wakeUps.notify('changes')
  } catch (error) {
    log.warn('events not counted', { error })
  }
}

/** Throws StartError for a folder without data: a mistyped one would be created, and look as if everything were in order. */
export async function assertUsed({
  dataDir,
  databaseUrl,
}: Pick<Config, 'dataDir' | 'databaseUrl'>): Promise<void> {
  if (databaseUrl !== undefined || (await Bun.file(join(dataDir, 'sitehost.db')).exists())) return
  throw new StartError(
    `there is no Sitehost data in ${dataDir}; choose the service’s folder with --data`,
  )
}

/** Throws StartError if root would create files in a data folder whose owner could not use them. */
export async function assertOwnFolder(
  dataDir: string,
  user: number | undefined = process.getuid?.(),
): Promise<void> {
  if (user !== 0) return
  const owner = (await ifExists(stat(dataDir)))?.uid
  if (owner === undefined || owner === user) return
  throw new StartError(
    `${dataDir} belongs to user ${owner}, who could not use what root makes there: run this as that user`,
  )
}
