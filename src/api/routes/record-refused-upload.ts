import { apiErrorOf } from '#api/errors.ts'
import { recordEvent } from '#observe/events.ts'
import type { Log } from '#observe/log.ts'
import type { Did } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'

/** Whose upload it is; `site` is set once its name has arrived. */
export interface UploadOrigin {
  readonly did: Did
  site?: SiteName
}

/** Records an upload that ended with this error before it had a job: nobody else would report it. */
export function recordRefusedUpload(log: Log, origin: UploadOrigin, error: unknown): void {
  const known = apiErrorOf(error)
  // What the owner reads is the reason; what is not their doing has an error to look at, too.
  const cause = known !== null && known.status < 500 ? {} : { error }
  const reason = known?.message ?? 'unhandled error'
  const level = known === null ? 'error' : 'warn'
  recordEvent(log, 'publish_failed', { ...origin, reason, ...cause }, level)
}
