import { mkdir, rm, stat } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { BlobStorageError } from '#blobs/blob-store.ts'
import { type BlobCopies, copyBlobs, removeOtherBlobs } from '#blobs/copy-blobs.ts'
import { diskBlobStore } from '#blobs/disk.ts'
import { ifExists, syncFolder } from '#blobs/storage-calls.ts'
import type { Config } from '#main/config/config.ts'
import { lockDataDir } from '#main/process/data-lock.ts'
import { StartError } from '#main/process/start-failure.ts'
import { openDatabase } from '#store/database/database.ts'
import { readTotals } from '#store/sites/totals.ts'
import { copyDatabase, copyDurably, keepNewestCopies } from './database-copies.ts'
import { writeLastBackup } from './last-backup.ts'
import { type Manifest, writeManifest } from './manifest.ts'

export interface BackupOptions {
  readonly config: Pick<Config, 'databaseUrl' | 'dataDir'>
  readonly folder: string
  readonly version: string
  /** How many copies of the database stay in the folder. */
  readonly keep: number
  readonly withBlobs: boolean
  /** Whether blobs go from the backup that the service does not have any more. */
  readonly prunes: boolean
  readonly signal: AbortSignal
  readonly onProgress: (text: string) => void
}

export interface BackupDone {
  readonly manifest: Manifest
  /** Null: without blobs. */
  readonly blobs: BlobCopies | null
}

/**
 * Brings the backup in `folder` up to date, while the service runs or not. Until it is whole, the folder has what it had
 * before. Throws StartError for a folder that is no place for a backup, and where the service's blobs are not mounted.
 */
export async function backUp(options: BackupOptions): Promise<BackupDone> {
  const { config, folder, keep, onProgress, prunes, version, withBlobs } = options
  await assertPlace(folder, config.dataDir)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await using _ = await lockFolder(folder)
  if (withBlobs) await assertBlobsThere(config.dataDir)
  const at = Date.now()
  onProgress('copying the database')
  const source = { url: config.databaseUrl, file: join(config.dataDir, 'sitehost.db') }
  // First: what is stored later does no harm, and what is deleted later nothing named for a day.
  const database = await copyDatabase(source, { folder, at })
  const secretKey = await copySecret(config.dataDir, folder)
  const blobs = withBlobs ? await copyStoredBlobs(options) : null
  await using opened = openDatabase(source)
  const { accounts, live } = await readTotals(opened.db)
  const facts = { version, at, accounts, sites: live.sites, database, secretKey }
  const manifest = await writeManifest(folder, { ...facts, blobs: blobs && sizeOf(blobs) })
  await writeLastBackup(config.dataDir, at)
  await keepNewestCopies(folder, keep)
  if (blobs === null || !prunes) return { manifest, blobs }
  const left = await prune(options, blobs)
  return { manifest: await writeManifest(folder, { ...facts, blobs: sizeOf(left) }), blobs: left }
}

const sizeOf = ({ count, bytes }: BlobCopies): Manifest['blobs'] => ({ count, bytes })

/** A folder that is not mounted has no blobs: the backup would succeed without them, or lose its own. */
async function assertBlobsThere(dataDir: string): Promise<void> {
  const dir = join(dataDir, 'blobs')
  try {
    await diskBlobStore({ dir }).assertThere()
  } catch (cause) {
    if (!(cause instanceof BlobStorageError)) throw cause
    throw new StartError(
      `${dir} is missing, not mounted or has never been used: mount it and start the service, or back up with --without-blobs`,
      { cause },
    )
  }
}

async function assertPlace(folder: string, dataDir: string): Promise<void> {
  const path = relative(resolve(dataDir), resolve(folder))
  if (!path.startsWith('..')) {
    throw new StartError(
      `${folder} is in the data folder, with which it would be lost: choose another folder`,
    )
  }
  if ((await ifExists(stat(join(folder, 'sitehost.db')))) === null) return
  throw new StartError(`${folder} is a data folder, not a place for a backup: choose another one`)
}

async function lockFolder(folder: string): Promise<AsyncDisposable> {
  try {
    return await lockDataDir(folder)
  } catch (cause) {
    if (!(cause instanceof StartError)) throw cause
    throw new StartError(`another backup to ${folder} is in progress: wait for its end`, { cause })
  }
}

async function copySecret(dataDir: string, folder: string): Promise<Manifest['secretKey']> {
  const target = join(folder, 'secret-key')
  const source = join(dataDir, 'secret-key')
  if ((await ifExists(stat(source))) === null) {
    await rm(target, { force: true })
    return 'setting'
  }
  await copyDurably(source, target)
  await syncFolder(folder)
  return 'file'
}

async function copyStoredBlobs(options: BackupOptions): Promise<BlobCopies> {
  const { onProgress, signal } = options
  await assertBlobsThere(options.config.dataDir)
  return await copyBlobs({
    ...blobFolders(options),
    ...{ mayLink: true, signal },
    onProgress: (share, { count }) =>
      onProgress(`copying blobs: ${Math.floor(share * 100)} %, ${count} there`),
  })
}

/** Returns what is left of the copies. */
async function prune(options: BackupOptions, blobs: BlobCopies): Promise<BlobCopies> {
  const { from, to } = blobFolders(options)
  // It may have been unmounted while blobs were copied.
  await assertBlobsThere(options.config.dataDir)
  const removed = await removeOtherBlobs(to, from)
  return { ...blobs, count: blobs.count - removed.count, bytes: blobs.bytes - removed.bytes }
}

const blobFolders = ({ config, folder }: Pick<BackupOptions, 'config' | 'folder'>) => ({
  from: join(config.dataDir, 'blobs'),
  to: join(folder, 'blobs'),
})
