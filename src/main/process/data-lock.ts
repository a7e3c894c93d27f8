import { Database, SQLiteError } from 'bun:sqlite'
import { open, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '#observe/code-of.ts'
import { DatabaseUnavailableError } from '#store/database/database-unavailable.ts'
import { StartError } from './start-failure.ts'

/** A part of the service; one process each uses a data folder and its database. */
export type ServicePart = 'app' | 'hosting'

/** The parts that a process with these roles is. */
export function servicePartsOf(roles: Readonly<Record<ServicePart, boolean>>): ServicePart[] {
  return (['app', 'hosting'] as const).filter((part) => roles[part])
}

/** Of the names of a part's files. Without one: of the application, and of services before there were parts. */
export const partSuffixes: Readonly<Record<ServicePart, string>> = { app: '', hosting: '-hosting' }

/** Names the process that is this part, and is as old as that; missing while none is. */
export const pidFileOf = (dataDir: string, part: ServicePart): string =>
  join(dataDir, `pid${partSuffixes[part]}`)

/** Locks the existing data folder for a part of the service until disposal or the end of the process. Throws StartError if another service has the lock. */
export async function lockDataDir(
  dataDir: string,
  part: ServicePart = 'app',
): Promise<AsyncDisposable> {
  const pidFile = pidFileOf(dataDir, part)
  const lockFile = join(dataDir, `lock${partSuffixes[part]}`)
  await createIfMissing(lockFile)
  const lock = await holdLock(lockFile, pidFile)
  await writeFile(pidFile, `${process.pid}\n`, { mode: 0o600 })
  return {
    async [Symbol.asyncDispose]() {
      await rm(pidFile, { force: true })
      lock.close()
    },
  }
}

// The lock of an empty SQLite database: the kernel releases it when the process ends, and it works across containers,
// where every service is process 1. Opening and closing the file again would release the lock (fcntl(2)), so a separate
// file names the process that holds it.
async function holdLock(lockFile: string, pidFile: string): Promise<Database> {
  let lock: Database | null = null
  try {
    lock = new Database(lockFile)
    lock.run('pragma busy_timeout = 0')
    lock.run('begin exclusive')
    return lock
  } catch (error) {
    lock?.close()
    if (!(error instanceof SQLiteError)) throw error
    if (error.code !== 'SQLITE_BUSY') throw new DatabaseUnavailableError('sqlite', error)
    const pid = (await readFile(pidFile, 'utf8')).trim()
    throw new StartError(
      `another Sitehost runs on this data folder (process ${pid}): stop it, or choose another folder with --data`,
      { cause: error },
    )
  }
}

/** Uses `open`, whose errors name the folder. */
async function createIfMissing(path: string): Promise<void> {
  try {
    await (await open(path, 'ax', 0o600)).close()
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
}
