import { access, constants, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type DiskBlobStore, diskBlobStore } from '#blobs/disk.ts'
import { DiskFloor } from '#blobs/disk-floor.ts'
import { ifExists } from '#blobs/storage-calls.ts'
import type { Config } from '#main/config/config.ts'
import type { Log } from '#observe/log.ts'
import { type Db, openDatabase } from '#store/database/database.ts'
import { migrate } from '#store/database/migrate.ts'
import { WakeUps } from '#store/database/wake-ups.ts'

export interface Stores {
  readonly db: Db
  readonly blobs: DiskBlobStore
  /** What of the data folder's disk stays free. */
  readonly floor: DiskFloor
  readonly wakeUps: WakeUps
}

interface OpenOptions {
  readonly config: Pick<Config, 'databaseUrl' | 'dataDir'>
  readonly log: Log
  /** Of one query, with PostgreSQL; migrations take as long as they take. */
  readonly answerMsMax?: number
  /** Called as soon as the database has leases: where it had some before, before it is changed. */
  readonly claim?: (db: Db) => Promise<void>
}

/** A query whose server vanished silently fails after this time; the system would notice it after 15 minutes. */
const answerMsMaxDefault = 60_000

/** Opens the data folder, made when missing, and brings its database up to date; `opened` closes it. */
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
  // Before there is a blob: a folder that is missing or unmarked later is a disk that went away.
  await blobs.make()
  return { db: database.db, blobs, floor, wakeUps: new WakeUps() }
}

async function migratePatiently(url: string): Promise<void> {
  await using database = openDatabase({ url })
  await migrate(database)
}

async function hasTable(db: Db, name: string): Promise<boolean> {
  return (await db.introspection.getTables()).some((table) => table.name === name)
}

// SQLite reads what it may not write to, and only the first change would fail.
async function assertWritable(file: string): Promise<void> {
  await ifExists(access(file, constants.W_OK))
}
