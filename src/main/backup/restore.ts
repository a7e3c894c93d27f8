import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type BlobCopies, copyBlobs } from '#blobs/copy-blobs.ts'
import { diskBlobStore } from '#blobs/disk.ts'
import { ifExists, syncFolder } from '#blobs/storage-calls.ts'
import type { Config } from '#main/config/config.ts'
import { lockDataDir } from '#main/process/data-lock.ts'
import { StartError } from '#main/process/start-failure.ts'
import { deleteAllSessions } from '#store/accounts/sessions.ts'
import { openDatabase } from '#store/database/database.ts'
import { copyDurably, databasesFolder, sha256Of } from './database-copies.ts'
import { writeLastBackup } from './last-backup.ts'
import { type Manifest, readManifest } from './manifest.ts'
import {
  assertRestoreTool,
  hasTables,
  movePostgresAside,
  restorePostgres,
} from './postgres-tools.ts'

export interface RestoreOptions {
  readonly config: Pick<Config, 'databaseUrl' | 'dataDir' | 'secrets'>
  readonly folder: string
  /** Whether the data of now is moved aside; otherwise there must be none. */
  readonly replaces: boolean
  readonly signal: AbortSignal
  readonly onProgress: (text: string) => void
}

export interface RestoreDone {
  readonly manifest: Manifest
  /** Null: the backup is without blobs. */
  readonly blobs: BlobCopies | null
  /** Where the data of before is now: folders, and schemas of PostgreSQL. */
  readonly aside: readonly string[]
}

/** Where the data is put together; of an interrupted restore, the next one begins anew. */
const stagingName = 'restoring'
const asidePrefix = 'before-restore-'
const databaseName = 'sitehost.db'

/**
 * Makes the data folder, and the database of PostgreSQL, what the backup holds. Every byte is checked first: a backup that
 * is not whole, or a full disk, changes nothing. Damaged blobs are left out, and all sessions end. Throws StartError; of a failure after the data of before was
 * moved aside, the message says where that is.
 */
export async function restore(options: RestoreOptions): Promise<RestoreDone> {
  const { config, folder, onProgress, replaces } = options
  const { databaseUrl: url, dataDir } = config
  const manifest = await usableManifest(folder, config)
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  await using _ = await lockDataDir(dataDir, 'app')
  await using __ = await lockDataDir(dataDir, 'hosting')
  const isUsed = (await entriesOf(dataDir)).length > 0
  const hasOldTables = url !== undefined && (await hasTables(url))
  if ((isUsed || hasOldTables) && !replaces) throw inTheWay(isUsed ? dataDir : 'DATABASE_URL')

  if (url !== undefined) await assertRestoreTool(url)
  onProgress('checking the database')
  const copy = await intactDatabase(folder, manifest)
  const staging = join(dataDir, stagingName)
  await rm(staging, { recursive: true, force: true })
  await mkdir(staging, { mode: 0o700 })
  const blobs = await stageFiles(staging, { ...options, manifest, copy })
  const aside: string[] = []
  try {
    const at = Date.now()
    if (isUsed) await moveAside(dataDir, at, aside)
    if (hasOldTables) aside.push(`schema ${await movePostgresAside(url, at)}`)
    if (url !== undefined) {
      onProgress('restoring the database')
      await restorePostgres(url, copy)
      await endSessions({ url })
    }
    await moveIntoPlace(staging, dataDir)
    await writeLastBackup(dataDir, manifest.at)
  } catch (cause) {
    if (aside.length === 0) throw cause
    const why = cause instanceof Error ? cause.message : String(cause)
    const places = aside.join(' and ')
    throw new StartError(`${why}; the data of before the restore is in ${places}`, { cause })
  }
  return { manifest, blobs, aside }
}

async function usableManifest(
  folder: string,
  { databaseUrl }: Pick<Config, 'databaseUrl'>,
): Promise<Manifest> {
  const manifest = await readManifest(folder)
  if (manifest === 'missing') {
    throw new StartError(
      `${folder} has no backup.json: it is not a backup, or its first backup was interrupted`,
    )
  }
  if (manifest === 'unusable') {
    throw new StartError(
      `backup.json of ${folder} cannot be read: it is damaged, or of a newer Sitehost`,
    )
  }
  const { kind } = manifest.database
  if (kind === 'postgres' && databaseUrl === undefined) {
    throw new StartError('the backup is of PostgreSQL: set DATABASE_URL to an empty database')
  }
  if (kind === 'sqlite' && databaseUrl !== undefined) {
    throw new StartError('the backup is of SQLite: restore it without DATABASE_URL')
  }
  return manifest
}

const inTheWay = (place: string): StartError =>
  new StartError(`${place} has data already: choose an empty one, or move it aside with --replace`)

async function intactDatabase(folder: string, { database }: Manifest): Promise<string> {
  const path = join(databasesFolder(folder), database.file)
  const isThere = (await ifExists(stat(path))) !== null
  if (isThere && (await sha256Of(path)) === database.sha256) return path
  throw new StartError(
    `${path} is ${isThere ? 'damaged' : 'missing'}: restore another copy of the backup`,
  )
}

async function stageFiles(
  staging: string,
  {
    config,
    copy,
    folder,
    manifest,
    onProgress,
    signal,
  }: RestoreOptions & { readonly manifest: Manifest; readonly copy: string },
): Promise<BlobCopies | null> {
  if (config.databaseUrl === undefined) {
    const file = join(staging, databaseName)
    await copyDurably(copy, file)
    await endSessions({ file })
  }
  if (manifest.secretKey === 'file' && config.secrets.length === 0) {
    await copyDurably(join(folder, 'secret-key'), join(staging, 'secret-key'))
  }
  if (manifest.blobs === null) return null
  const to = join(staging, 'blobs')
  await diskBlobStore({ dir: to }).make()
  return await copyBlobs({
    ...{ from: join(folder, 'blobs'), to },
    // Never links: the service's files and the backup's must not be damaged together.
    ...{ mayLink: false, signal },
    onProgress: (share, { count }) =>
      onProgress(`copying blobs: ${Math.floor(share * 100)} %, ${count} there`),
  })
}

/** Some have ended since the backup: people have signed out, an administrator was removed. Which ones, it does not say. */
async function endSessions(
  source: { readonly url: string } | { readonly file: string },
): Promise<void> {
  await using database = openDatabase(source)
  await deleteAllSessions(database.db)
}

/** What belongs to nobody's data: the locks, who it is among several, and Bun's own files. */
const ours =
  /^(instance-id|lock(-hosting)?(-journal)?|pid(-hosting)?|\.bun|restoring|before-restore-.*)$/

async function entriesOf(dataDir: string): Promise<string[]> {
  return (await readdir(dataDir)).filter((name) => !ours.test(name))
}

// Inside the folder: it may be a mount point, or in a folder that is not this user's.
async function moveAside(dataDir: string, at: number, aside: string[]): Promise<void> {
  const target = join(dataDir, `${asidePrefix}${new Date(at).toISOString().replaceAll(':', '-')}`)
  await mkdir(target, { mode: 0o700 })
  aside.push(target)
  for (const name of await entriesOf(dataDir)) await rename(join(dataDir, name), join(target, name))
  await syncFolder(dataDir)
}

// The database last: without it, a service that starts here finds an empty folder.
async function moveIntoPlace(staging: string, dataDir: string): Promise<void> {
  const names = await readdir(staging)
  names.sort((a, b) => Number(a === databaseName) - Number(b === databaseName))
  for (const name of names) await rename(join(staging, name), join(dataDir, name))
  await rm(staging, { recursive: true })
  await syncFolder(dataDir)
}
