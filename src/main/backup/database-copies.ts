import { Database as SqliteFile } from 'bun:sqlite'
import { copyFile, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder } from '#blobs/storage-calls.ts'
import { DatabaseUnavailableError } from '#store/database/database-unavailable.ts'
import type { Manifest } from './manifest.ts'
import { dumpPostgres } from './postgres-tools.ts'

type DatabaseCopy = Manifest['database']

/** How long the copy waits for a transaction that writes. */
const lockedMsMax = 60_000

export interface DatabaseSource {
  /** Of PostgreSQL; wins over `file`. */
  readonly url: string | undefined
  /** Of SQLite. */
  readonly file: string
}

export const databasesFolder = (folder: string): string => join(folder, 'database')

/**
 * Writes a consistent copy of the database into the backup, while others write to it. Throws DatabaseUnavailableError, and
 * StartError where `pg_dump` cannot be used.
 */
export async function copyDatabase(
  { url, file }: DatabaseSource,
  { folder, at }: { readonly folder: string; readonly at: number },
): Promise<DatabaseCopy> {
  const dir = databasesFolder(folder)
  await mkdir(dir, { recursive: true, mode: 0o700 })
  await removePartial(dir)
  const kind = url === undefined ? 'sqlite' : 'postgres'
  const name = `${new Date(at).toISOString().replaceAll(':', '-')}.${extensions[kind]}`
  const partial = join(dir, `${name}${partialSuffix}`)
  try {
    if (url === undefined) vacuumInto(file, partial)
    else await dumpPostgres(url, partial)
    await syncFile(partial)
    const facts = { bytes: (await stat(partial)).size, sha256: await sha256Of(partial) }
    await rename(partial, join(dir, name))
    await syncFolder(dir)
    return { kind, file: name, ...facts }
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}

const extensions = { sqlite: 'db', postgres: 'dump' }
const partialSuffix = '.partial'

/** Of a backup that was interrupted. */
async function removePartial(dir: string): Promise<void> {
  for (const name of await readdir(dir)) {
    if (/\.partial(-journal)?$/.test(name)) await rm(join(dir, name), { force: true })
  }
}

/** Deletes all but the newest `keep` copies, which have their time as a name. */
export async function keepNewestCopies(folder: string, keep: number): Promise<void> {
  const dir = databasesFolder(folder)
  const copies = (await readdir(dir)).filter((name) => /^\d{4}-.*\.(db|dump)$/.test(name)).sort()
  for (const name of copies.slice(0, -keep)) await rm(join(dir, name))
}

// One read transaction: the service keeps writing to the write-ahead log meanwhile.
function vacuumInto(file: string, target: string): void {
  let sqlite: SqliteFile | undefined
  try {
    sqlite = new SqliteFile(file, { create: false, readwrite: true, strict: true })
    sqlite.run(`pragma busy_timeout = ${lockedMsMax}`)
    sqlite.query('vacuum into ?').run(target)
    forgetSalts(target)
  } catch (cause) {
    throw new DatabaseUnavailableError('sqlite', cause)
  } finally {
    sqlite?.close()
  }
}

async function syncFile(path: string): Promise<void> {
  await using file = await open(path, 'r+')
  await file.sync()
}

/** In hex. */
export async function sha256Of(path: string): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256')
  for await (const chunk of Bun.file(path).stream()) hasher.update(chunk)
  return hasher.digest('hex')
}

/** The copy is on the disk when it resolves, except for its folder's entry. */
export async function copyDurably(source: string, target: string): Promise<void> {
  await copyFile(source, target)
  await syncFile(target)
}

/** With the salt of its day, a copy could tell for ever whether somebody may have been among a site's visitors. */
function forgetSalts(file: string): void {
  using copy = new SqliteFile(file, { create: false, readwrite: true, strict: true })
  copy.run('pragma secure_delete = on')
  const named = "select 1 from sqlite_master where name = 'visitor_salts'"
  // The service that wrote it may be an earlier one.
  if (copy.query(named).get() !== null) copy.run('delete from visitor_salts')
}
