import { access, constants, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ServiceBlobStore } from '#blobs/blob-store.ts'
import { type CachedBlobStore, cachedBlobStore } from '#blobs/cached-blobs.ts'
import { diskBlobStore } from '#blobs/disk.ts'
import { DiskFloor } from '#blobs/disk-floor.ts'
import { s3BlobStore } from '#blobs/s3.ts'
import { S3Client, type S3Count } from '#blobs/s3-client.ts'
import { ifExists } from '#blobs/storage-calls.ts'
import type { Config } from '#main/config/config.ts'
import type { Log } from '#observe/log.ts'
import type { Tally } from '#observe/tally.ts'
import { type Database, type Db, openDatabase } from '#store/database/database.ts'
import { type Clock, openClock } from '#store/database/database-clock.ts'
import { hasTable } from '#store/database/has-table.ts'
import { migrate } from '#store/database/migrate.ts'
import { WakeUps } from '#store/database/wake-ups.ts'
import { requestPools } from './request-pools.ts'

export interface Stores {
  readonly db: Db
  readonly database: Pick<Database, 'dialect' | 'load'>
  readonly blobs: ServiceBlobStore
  /** What is counted of requests to a bucket; null: blobs are in the data folder. */
  readonly blobRequests: Tally<S3Count> | null
  /** Of `blobs`, the copies of a bucket’s on this disk; null: there are none. */
  readonly blobCopies: CachedBlobStore | null
  /** Keeps part of the data folder's disk free. */
  readonly floor: DiskFloor
  readonly wakeUps: WakeUps
  readonly clock: Clock
}

interface OpenOptions {
  readonly config: Pick<Config, 'blobStore' | 'databaseUrl' | 'dataDir'>
  readonly log: Log
  /** The folder of the data folder for copies of a bucket’s blobs, which nobody else uses; left out: no copies. */
  readonly copiesIn?: string
  /** Time limit of a PostgreSQL query; migrations have none. */
  readonly answerMsMax?: number
  /** Called as soon as the leases table exists; if it existed before, before any migration. */
  readonly claim?: (db: Db) => Promise<void>
}

/** A query whose server vanished silently fails after this time; the system would notice it after 15 minutes. */
const answerMsMaxDefault = 60_000
/** A blob of a bucket is opened up to this size where the disk takes no copy. */
const memoryBytesMax = 8 * 1024 * 1024
/** That have blob requests of their own: ingest, and the one that answers. */
const threadsMax = 2

/** Opens the data folder, creates it if missing, and migrates its database; `opened` closes it. */
export async function openStores(
  options: OpenOptions,
  opened: AsyncDisposableStack,
): Promise<Stores> {
  const { answerMsMax = answerMsMaxDefault, claim, config } = options
  const { databaseUrl: url, dataDir } = config
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const file = databaseFileIn(dataDir)
  if (url === undefined) await assertWritable(file)
  const database = opened.use(openDatabase({ file, url, answerMsMax }))
  const hadLeases = await hasTable(database.db, 'leases')
  if (hadLeases) await claim?.(database.db)
  await (url === undefined ? migrate(database) : migratePatiently(url))
  if (!hadLeases) await claim?.(database.db)
  return await storesOn(database, options)
}

/** The same of a data folder and a database that another process has opened so. */
export async function openMigratedStores(
  options: Omit<OpenOptions, 'claim'>,
  opened: AsyncDisposableStack,
): Promise<Stores> {
  const { answerMsMax = answerMsMaxDefault, config } = options
  const file = databaseFileIn(config.dataDir)
  const database = opened.use(openDatabase({ file, url: config.databaseUrl, answerMsMax }))
  return await storesOn(database, options)
}

const databaseFileIn = (dataDir: string): string => join(dataDir, 'sitehost.db')

async function storesOn(
  database: Database,
  { config, copiesIn, log }: Omit<OpenOptions, 'claim'>,
): Promise<Stores> {
  const { dataDir } = config
  const floor = new DiskFloor(dataDir, { log })
  const stored = await openBlobs({ config, copiesIn, floor, log })
  const { db } = database
  return { db, database, ...stored, floor, wakeUps: new WakeUps(), clock: await openClock(db) }
}

type OpenedBlobs = Pick<Stores, 'blobCopies' | 'blobRequests' | 'blobs'>

async function openBlobs({
  config: { blobStore, dataDir },
  copiesIn,
  floor,
  log,
}: Pick<OpenOptions, 'config' | 'log'> & {
  readonly copiesIn: string | undefined
  readonly floor: DiskFloor
}): Promise<OpenedBlobs> {
  if (blobStore === null) {
    const blobs = diskBlobStore({
      dir: join(dataDir, 'blobs'),
      floor,
      onCorrupt: (hash) => log.error('blob damaged on disk', { hash }),
    })
    // Before the first blob: if the folder is missing or unmarked later, its disk is not mounted.
    await blobs.make()
    return { blobs, blobRequests: null, blobCopies: null }
  }
  const { cacheBytesMax: bytesMax, location } = blobStore
  const client = new S3Client({
    location,
    requestsMax: requestPools.blobs.requestsMax / threadsMax,
  })
  const remote = s3BlobStore({
    client,
    floor,
    openBytesMax: memoryBytesMax,
    tempDir: join(dataDir, 'blob-puts'),
    onCorrupt: (hash) => log.error('blob damaged in its bucket', { hash }),
  })
  const blobRequests = client.tally
  if (copiesIn === undefined) return { blobs: remote, blobRequests, blobCopies: null }
  const copies = cachedBlobStore({ remote, bytesMax, dir: join(dataDir, copiesIn), floor, log })
  return { blobs: copies, blobRequests, blobCopies: copies }
}

async function migratePatiently(url: string): Promise<void> {
  await using database = openDatabase({ url })
  await migrate(database)
}

// SQLite opens read-only files, and only the first write would fail.
async function assertWritable(file: string): Promise<void> {
  await ifExists(access(file, constants.W_OK))
}
