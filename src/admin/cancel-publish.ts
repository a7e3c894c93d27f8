import { type Cancellation, markCancelled, settleCancelled } from '#publish/jobs/cancel-job.ts'
import type { JobContext } from '#publish/jobs/job-context.ts'
import { inTransaction } from '#store/database/transaction.ts'
import { findJob } from '#store/queues/jobs.ts'
import { type AdminContext, audited, type By } from './action.ts'

type CancelContext = AdminContext & Pick<JobContext, 'spool'>

/** Ends a job unless it is writing to its owner's repository; the owner reads the reason. Null: no such job. */
export async function cancelPublish(
  jobId: string,
  by: By,
  context: CancelContext,
): Promise<Cancellation | null> {
  const job = await findJob(context.db, jobId)
  if (job === null) return null
  const action = {
    action: 'job.cancel',
    subject: jobId,
    details: { did: job.did, site: job.site },
  }
  const sentence = `The operator of this service cancelled the upload: ${by.reason}`
  const cancelled = await inTransaction(context.db, async (transaction) => {
    const inside = { ...context, db: transaction }
    const marked = await markCancelled(job, inside, sentence)
    await audited(action, by, inside, async () => marked.outcome === 'cancelled')
    return marked
  })
  await settleCancelled(job, cancelled, context)
  return cancelled.outcome
}
