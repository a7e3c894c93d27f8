import type { ApiContext } from '#api/context.ts'
import { sentences } from '#api/contract/messages.ts'
import { ApiError, restarting } from '#api/errors.ts'
import { queueRestore } from '#publish/jobs/jobs.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { findQuotaProblem } from '#store/sites/account-quota.ts'
import { assertAdmissible, refusalOf } from './job-admission.ts'
import { findVersion } from './version-content.ts'

/** Creates a job that makes the version live; returns its id. Throws ApiError. */
export async function restoreVersion(
  site: SiteAddress,
  id: string,
  { settings }: { readonly settings: boolean },
  context: ApiContext,
): Promise<string> {
  const { db, limits, shutdown, spool } = context
  if (shutdown.begun.aborted) throw restarting()
  const version = await findVersion(site, id, db)
  if (version.kind === 'state') throw new ApiError(409, sentences.noVersionRecord)
  const { bytes, hasContent, key, state } = version.record
  if (state === 'refused') throw new ApiError(409, sentences.versionRefused)
  if (!hasContent) throw new ApiError(410, sentences.filesNotKept)
  await assertAdmissible(site, context)
  const problem = await findQuotaProblem(db, site, bytes, limits)
  if (problem !== null) throw new ApiError(413, problem)
  const jobId = crypto.randomUUID()
  let isQueued = false
  try {
    await using _ = await spool.open(jobId)
    const admitted = await queueRestore(jobId, site, { key, settings }, context)
    if (!admitted.created) throw refusalOf(admitted)
    isQueued = true
  } finally {
    if (!isQueued) await spool.remove(jobId)
  }
  return jobId
}
