import { BlobStorageError } from '#blobs/blob-store.ts'
import { FolderError } from '#cli/folder/folder-error.ts'
import { ConfigError, UnusableError } from '#main/config/config.ts'
import { codeOf } from '#observe/code-of.ts'
import { DatabaseUnavailableError } from '#store/database/database-unavailable.ts'
import { DatabaseAheadError } from '#store/database/migrate.ts'

/** A command cannot do its work; `message` says why, in one line for its user. */
export class StartError extends Error {
  override readonly name = 'StartError'
  readonly exitCode: number

  constructor(
    message: string,
    { exitCode = 1, cause }: { exitCode?: number; cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.exitCode = exitCode
  }
}

/** What the user can do about a failed start, in one line; null for unexpected errors, which need their stack. */
export function startFailureSentence(error: unknown): string | null {
  if (error instanceof ConfigError || error instanceof StartError) return error.message
  if (error instanceof FolderError) return error.message
  if (error instanceof DatabaseUnavailableError) return databaseSentence(error)
  if (error instanceof DatabaseAheadError) {
    return `a newer Sitehost has used the database (${error.migration}): start that one, or put back the backup from before the upgrade`
  }
  if (!(error instanceof Error)) return null
  if (error.name === 'DevnetStartError') return devnetSentence(error.message)
  if (codeOf(error) === insufficientPrivilege) {
    return 'the user of DATABASE_URL may not make and change tables in that database: make them its owner'
  }
  return folderSentence(error instanceof BlobStorageError ? error.cause : error)
}

/** Of `EX_CONFIG` (sysexits.h): the unit of systemd starts nothing again with a setting that is wrong. */
const wrongSettingCode = 78

/** The exit status of a start that failed. */
export function startFailureCode(error: unknown): number {
  if (error instanceof StartError) return error.exitCode
  return error instanceof ConfigError && !(error instanceof UnusableError) ? wrongSettingCode : 1
}

/** SQLSTATE. */
const insufficientPrivilege = '42501'

function databaseSentence({ dialect, code }: DatabaseUnavailableError): string {
  const name =
    dialect === 'postgres'
      ? 'the PostgreSQL server of DATABASE_URL'
      : 'the database in the data folder'
  const reason = databaseFailures[code]
  return `${name} cannot be used${reason === undefined ? '' : `: ${reason}`} (${code})`
}

const databaseFailures: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing answers there',
  ENOTFOUND: 'there is no such host',
  '28000': 'it refuses the user',
  '28P01': 'it refuses the user or the password',
  '3D000': 'it has no database of that name',
  SQLITE_CANTOPEN: 'the user who runs this may not open its files',
  SQLITE_READONLY: 'the user who runs this may not write to its files',
  SQLITE_NOTADB: 'it is damaged, put back a backup of it',
  SQLITE_CORRUPT: 'it is damaged, put back a backup of it',
  SQLITE_FULL: 'the disk is full',
}

function folderSentence(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  const code = codeOf(error) ?? ''
  const path = 'path' in error && typeof error.path === 'string' ? error.path : 'the data folder'
  const failure = isMaking(error) ? makingFailures[code] : folderFailures[code]
  if (failure === undefined) return null
  const isTheirs = failure === notTheirs ? ': make it theirs, or' : ';'
  return `${path} ${failure}${isTheirs} choose another folder with --data`
}

/** A folder is being made, with all above it. */
const isMaking = (error: Error): boolean => 'syscall' in error && error.syscall === 'mkdir'

const notTheirs = 'may not be used by the user who runs this'

const folderFailures: Readonly<Record<string, string>> = {
  EACCES: notTheirs,
  EPERM: notTheirs,
  EROFS: 'is on a disk that may not be written to',
  ENOTDIR: 'is not a folder',
  EEXIST: 'is not a folder',
  ENOSPC: 'is on a full disk',
}

const makingFailures: typeof folderFailures = {
  ...folderFailures,
  // As in /proc, where nobody makes folders.
  ENOENT: 'cannot be made',
  ENAMETOOLONG: 'has too long a name',
}

const devnetSentence = (message: string): string =>
  message.includes('EADDRINUSE')
    ? 'a development network runs in this data folder already: stop it, or choose another folder with --data and another --port'
    : `the development network did not start: ${message}`
