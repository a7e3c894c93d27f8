import { access, constants, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type DiskBlobStore, diskBlobStore } from '#blobs/disk.ts'
import { DiskFloor } from '#blobs/disk-floor.ts'
import { ifExists } from '#blobs/storage-calls.ts'
import type { Config } from '#main/config/config.ts'
import type { Log } from '#observe/log.ts'
import { type Database, type Db, openDatabase } from '#store/database/database.ts'
import { hasTable } from '#store/database/has-table.ts'
import { migrate } from '#store/database/migrate.ts'
import { WakeUps } from '#store/database/wake-ups.ts'

export interface Stores {
  readonly db: Db
  readonly database: Pick<Database, 'dialect' | 'load'>
  readonly blobs: DiskBlobStore
  /** Keeps part of the data folder's disk free. */
  readonly floor: DiskFloor
  readonly wakeUps: WakeUps
}

interface OpenOptions {
  readonly config: Pick<Config, 'databaseUrl' | 'dataDir'>
  readonly log: Log
  /** Time limit of a PostgreSQL query; migrations have none. */
  readonly answerMsMax?: number
  /** Called as soon as the leases table exists; if it existed before, before any migration. */
  readonly claim?: (db: Db) => Promise<void>
}

/** A query whose server vanished silently fails after this time; the system would notice it after 15 minutes. */
const answerMsMaxDefault = 60_000

/** Opens the data folder, creates it if missing, and migrates its database; `opened` closes it. */
export async function openStores(
  { answerMsMax = answerMsMaxDefault, claim, config, log }: OpenOptions,
  opened: AsyncDisposableStack,
): Promise<Stores> {
  const { databaseUrl: url, dataDir } = config
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const file = join(dataDir, 'sitehost.db')
  if (url === undefined) await assertWritable(file)
  const database = opened.use(openDatabase({ file, url, answerMsMax }))
  const hadLeases = await hasTable(database.db, 'leases')
  if (hadLeases) await claim?.(database.db)
  await (url === undefined ? migrate(database) : migratePatiently(url))
  if (!hadLeases) await claim?.(database.db)
  const floor = new DiskFloor(dataDir, { log })
  const blobs = diskBlobStore({
    dir: join(dataDir, 'blobs'),
    floor,
    onCorrupt: (hash) => log.error('blob damaged on disk', { hash }),
  })
  // Before the first blob: if the folder is missing or unmarked later, its disk is not mounted.
  await blobs.make()
  return { db: database.db, database, blobs, floor, wakeUps: new WakeUps() }
}

async function migratePatiently(url: string): Promise<void> {
  await using database = openDatabase({ url })
  await migrate(database)
}

// SQLite opens read-only files, and only the first write would fail.
async function assertWritable(file: string): Promise<void> {
  await ifExists(access(file, constants.W_OK))
}
