import { recordEvent } from '#observe/events.ts'
import type { BringOverPlan } from '#publish/bring-over.ts'
import type { RestoreStatePlan } from '#publish/history/restore-stored-state.ts'
import type { RestorePlan } from '#publish/history/restore-version.ts'
import { newVersion } from '#publish/new-version.ts'
import { progressAtStart } from '#publish/publish-site.ts'
import type { ReceivedUpload } from '#publish/upload/receive-upload.ts'
import type { Spool } from '#publish/upload/spool.ts'
import type { SiteAddress } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import type { AccountLimits } from '#store/moderation/account-limits.ts'
import {
  createJob,
  type JobAdmission,
  type NewJob,
  type NewJobOptions,
} from '#store/queues/jobs.ts'
import { wakeJobsOf } from '#store/queues/wake-jobs.ts'
import type { JobContext } from './job-context.ts'
import type { JobPlan } from './job-plan.ts'

export const queuedJobsMax = 5

type QueueContext = Pick<JobContext, 'db' | 'log' | 'wakeUps' | 'now'> & {
  readonly spool: Pick<Spool, 'instance'>
  readonly limits?: AccountLimits
}

/** Queues a received upload, whose files stay in the spool under the job's id. */
export async function queueJob(
  id: string,
  site: SiteAddress,
  { files, skippedFiles, settings, retain }: ReceivedUpload,
  context: QueueContext,
): Promise<JobAdmission> {
  const plan: JobPlan = { files, skippedFiles, retain, settings, changes: null }
  return await queuePlan({ id, plan, expectedCid: null }, site, createJob, context)
}

/** Queues the restoring of a version. `id` must have a folder in the spool, as every job has. */
export async function queueRestore(
  id: string,
  site: SiteAddress,
  restore: RestorePlan | RestoreStatePlan,
  context: QueueContext,
): Promise<JobAdmission> {
  const nothing = { files: [], skippedFiles: [], settings: null, changes: null }
  const plan: JobPlan = { ...nothing, retain: true, restore }
  return await queuePlan({ id, plan, expectedCid: null }, site, createJob, context)
}

/** Queues the bringing over of a foreign site. `id` must have a folder in the spool, as every job has. */
export async function queueBringOver(
  id: string,
  site: SiteAddress,
  bringOver: BringOverPlan,
  context: QueueContext,
): Promise<JobAdmission> {
  const nothing = { files: [], skippedFiles: [], settings: null, changes: null }
  const plan: JobPlan = { ...nothing, retain: true, bringOver }
  return await queuePlan({ id, plan, expectedCid: null }, site, createJob, context)
}

interface QueuedPlan {
  readonly id: string
  readonly plan: JobPlan
  /** As in the job's row. */
  readonly expectedCid: string | null
}

/** Queues a job with `create`, which is or calls `createJob`. */
export async function queuePlan<Admission extends { readonly created: boolean }>(
  { id, plan, expectedCid }: QueuedPlan,
  { did, name }: SiteAddress,
  create: (db: Db, job: NewJob, options: NewJobOptions) => Promise<Admission>,
  { db, limits = {}, log, spool, wakeUps, now }: QueueContext,
): Promise<Admission> {
  const { files } = plan
  const planned: JobPlan = { version: newVersion(now()), ...plan }
  const progress = progressAtStart(files)
  const admission = await create(
    db,
    {
      ...{ id, did, site: name, instance: spool.instance },
      ...{ progress, plan: JSON.stringify(planned), expectedCid },
    },
    { queuedMax: queuedJobsMax, now: now(), limits },
  )
  if (admission.created) {
    const sizes = { files: files.length, bytes: progress.bytesTotal }
    recordEvent(log, 'publish_started', { job: id, did, site: name, ...sizes })
  }
  wakeJobsOf(spool.instance, wakeUps)
  return admission
}
