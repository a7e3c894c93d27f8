import type { ApiContext } from '#api/context.ts'
import { sentences } from '#api/contract/messages.ts'
import { ApiError, restarting } from '#api/errors.ts'
import { assertAdmissible, refusalOf } from '#api/routes/job-admission.ts'
import { queueRestore } from '#publish/jobs/queue-job.ts'
import { spoolOwnerOf } from '#publish/jobs/spool-owner.ts'
import type { SiteAddress } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import { findSnapshotText } from '#store/lifecycle/account-data.ts'
import { findQuotaProblem } from '#store/sites/account-quota.ts'
import { type FoundVersion, findVersion } from './version-content.ts'

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
  const { bytes, state } = version.kind === 'state' ? version.state : version.record
  if (state === 'refused' || state === 'invalid') throw new ApiError(409, sentences.versionRefused)
  if (!(await hasContent(version, site, db))) throw new ApiError(410, sentences.filesNotKept)
  await assertAdmissible(site, context)
  const problem = await findQuotaProblem(db, site, bytes, limits)
  if (problem !== null) throw new ApiError(413, problem)
  const jobId = crypto.randomUUID()
  let isQueued = false
  try {
    await using _ = await spool.open(jobId)
    // Of a version record nothing is decoded.
    const isState = version.kind === 'state'
    if (isState) await spool.receive(jobId, bytes, await spoolOwnerOf(db, site.did))
    const restored = isState ? { stateId: version.state.id } : { key: version.record.key }
    const admitted = await queueRestore(jobId, site, { ...restored, settings }, context)
    if (!admitted.created) throw refusalOf(admitted)
    isQueued = true
  } finally {
    if (!isQueued) await spool.remove(jobId)
  }
  return jobId
}

const hasContent = async (version: FoundVersion, { did }: SiteAddress, db: Db): Promise<boolean> =>
  version.kind === 'record'
    ? version.record.hasContent
    : (await findSnapshotText(db, did, version.state.id)) !== null
