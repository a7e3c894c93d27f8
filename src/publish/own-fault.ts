import { BlobStorageError } from '#blobs/blob-store.ts'
import { codeOf } from '#observe/code-of.ts'
import { DatabaseUnavailableError } from '#store/database/database-unavailable.ts'

/** What of this service keeps a job from being carried out, for a while. */
export type OwnFault = 'database' | 'storage'

const causesMax = 10

/**
 * Null: it is no fault of ours that passes. Causes count: a call to the account's server also fails when its
 * tokens cannot be read here.
 */
export function ownFaultOf(error: unknown): OwnFault | null {
  let cause = error
  for (let n = 0; n < causesMax && cause instanceof Error; n++, cause = cause.cause) {
    if (cause instanceof DatabaseUnavailableError) return 'database'
    if (cause instanceof BlobStorageError || diskCodes.has(codeOf(cause) ?? '')) return 'storage'
  }
  return null
}

/** The spool cannot be used: the disk is full, read-only or broken, or too many files are open. */
const diskCodes = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE'])

/** What the owner reads while the job waits for it. */
export const waitingSentences: Readonly<Record<OwnFault, string>> = {
  database:
    'This service’s database is not available at the moment. Your upload is kept, and continues automatically.',
  storage:
    'This service cannot store files at the moment. Your upload is kept, and continues automatically.',
}
