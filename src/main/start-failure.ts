import { PreviewError } from '#cli/preview-error.ts'
import { codeOf, DatabaseUnavailableError } from '#store/database-unavailable.ts'
import { ConfigError } from './config.ts'

/** A command cannot do what it is for; `message` says why, in one line for the person who gave it. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

/**
 * What the person who started us can do about it, in one line; null for what has to be looked into, with
 * its stack.
 */
export function startFailureSentence(error: unknown): string | null {
  if (error instanceof ConfigError || error instanceof StartError) return error.message
  if (error instanceof PreviewError) return error.message
  if (error instanceof DatabaseUnavailableError) {
    return error.dialect === 'postgres'
      ? `the PostgreSQL server of DATABASE_URL cannot be used (${error.code})`
      : `the database in the data folder cannot be used (${error.code})`
  }
  if (!(error instanceof Error)) return null
  if (error.name === 'DevnetStartError') return devnetSentence(error.message)
  const code = codeOf(error) ?? ''
  const path = 'path' in error && typeof error.path === 'string' ? error.path : 'the data folder'
  return code in folderFailures
    ? `${path} ${folderFailures[code]}; choose another folder with --data`
    : null
}

const folderFailures: Readonly<Record<string, string>> = {
  EACCES: 'may not be written to',
  EPERM: 'may not be written to',
  EROFS: 'is on a disk that may not be written to',
  ENOTDIR: 'is not a folder',
  EEXIST: 'is not a folder',
  ENOSPC: 'is on a full disk',
}

const devnetSentence = (message: string): string =>
  message.includes('EADDRINUSE')
    ? 'a development network runs in this data folder already: stop it, or choose another folder with --data and another --port'
    : `the development network did not start: ${message}`
