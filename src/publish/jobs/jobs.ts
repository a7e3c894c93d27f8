import { everyOrWhenWoken } from '#concurrency/every-or-when-woken.ts'
import { Lanes } from '#concurrency/lanes.ts'
import { type Party, serversOf } from '#concurrency/pace-history.ts'
import { cancelledSentence, interruptedSentence } from '#publish/publish-failure.ts'
import { progressAtStart } from '#publish/publish-site.ts'
import type { ReceivedUpload } from '#publish/upload/receive-upload.ts'
import type { Did, SiteAddress } from '#site/site-address.ts'
import { findAccount } from '#store/accounts/accounts.ts'
import type { Db } from '#store/database/database.ts'
import { waitForDatabase } from '#store/database/wait-for-database.ts'
import {
  cancelJobUnlessWriting,
  finishJob,
  listWaitingAccounts,
  requeueJobs,
  startNextJob,
  type WaitingAccount,
} from '#store/queues/job-steps.ts'
import {
  createJob,
  findJob,
  type Job,
  type JobAdmission,
  listUnfinishedJobs,
} from '#store/queues/jobs.ts'
import type { JobContext } from './job-context.ts'
import type { JobPlan } from './job-plan.ts'
import { runJob } from './run-job.ts'

export const queuedJobsMax = 5
const runningJobsMax = 4
/** In addition: jobs whose servers are slow and that hold their account's records in memory. */
const slowJobsMax = 4
/** In addition to both: jobs that send slowly. Each holds the chunks in flight of eight files, some 6 MB. */
const detachedJobsMax = 8
export const jobsAtOnceMax = runningJobsMax + slowJobsMax + detachedJobsMax
/** Of either kind, the most jobs of one server, and of one registrable domain: one lane is left for others. */
const shares = { quick: { host: 3, domain: 3 }, slow: { host: 3, domain: 3 } }
/** Accounts examined per pass for the next jobs; the next pass examines others. */
const waitingAccountsMax = 2_000
const lookAgainMs = 5_000
/** Pause between passes when more accounts wait than one pass examines. */
const lookFurtherMs = 1_000

/** Queues a received upload, whose files stay in the spool under the job's id. */
export async function queueJob(
  id: string,
  { did, name }: SiteAddress,
  { files, skippedFiles, retain }: ReceivedUpload,
  { db, wakeUps, now }: Pick<JobContext, 'db' | 'wakeUps' | 'now'>,
): Promise<JobAdmission> {
  const plan: JobPlan = { files, skippedFiles, retain }
  const admission = await createJob(
    db,
    { id, did, site: name, progress: progressAtStart(files), plan: JSON.stringify(plan) },
    { queuedMax: queuedJobsMax, now: now() },
  )
  wakeUps.notify('jobs')
  return admission
}

export type Cancellation = 'cancelled' | 'too-late' | 'ended'

/** Ends a job unless it is writing to the repository. The next upload reuses the blobs that it has sent. */
export async function cancelJob(
  job: Job,
  { db, wakeUps, now, spool }: Pick<JobContext, 'db' | 'wakeUps' | 'now' | 'spool'>,
): Promise<Cancellation> {
  const was = await cancelJobUnlessWriting(db, job, cancelledSentence, now())
  if (was === null) return (await findJob(db, job.id))?.finishedAt === null ? 'too-late' : 'ended'
  // A running job removes its own folder when it notices.
  if (was === 'pending') await spool.remove(job.id)
  wakeUps.notify('jobs')
  wakeUps.notify('job-progress')
  return 'cancelled'
}

/** Requeues the jobs that a dead process left running, ends jobs without files, and removes files without a job. */
export async function recoverJobs({ db, spool, now }: JobContext): Promise<void> {
  const unfinished = await listUnfinishedJobs(db)
  const kept = new Set<string>()
  for (const job of unfinished) {
    if (await spool.has(job.id)) {
      kept.add(job.id)
      await spool.hold(job.id, job.progress.bytesTotal, {
        owner: job.did,
        isNewcomer: false,
        server: await spoolServerOf(db, job.did),
      })
    } else await finishJob(db, job.id, { status: 'failed', error: interruptedSentence }, now())
  }
  await requeueJobs(db, [...kept], now())
  await spool.sweep(kept)
}

/**
 * Runs queued jobs until the signal aborts: one per account, a few concurrently, in as many attempts as they need.
 * Accounts are ordered by their last attempt; accounts without one in the last hour come first, so a backlog counts as
 * one job. Jobs with slow servers have separate lanes (`Lanes`), detach while they send slowly, and wait in the queue
 * for a server's rate limit. Waits while the database is unavailable.
 */
export async function runJobs(context: JobContext, signal: AbortSignal): Promise<void> {
  const { wakeUps, log } = context
  using wakeUp = wakeUps.subscribe('jobs')
  const lanes = new Lanes(runningJobsMax, {
    ...context,
    detachedMax: detachedJobsMax,
    slowPinnedMax: slowJobsMax,
    shares,
  })
  const running = new Set<Promise<void>>()
  let offset = 0
  const start = async (): Promise<number> => {
    const seen = await startJobs(lanes, running, offset, context, signal)
    const isMore = seen >= waitingAccountsMax
    offset = isMore ? offset + seen : 0
    return isMore ? lookFurtherMs : lookAgainMs
  }
  const onError = waitForDatabase('jobs', { log, signal })
  await everyOrWhenWoken(start, { signal, wakeUp, onError })
  await Promise.all(running)
}

/** Returns how many accounts were examined, starting at `offset`. */
async function startJobs(
  lanes: Lanes,
  running: Set<Promise<void>>,
  offset: number,
  context: JobContext,
  signal: AbortSignal,
): Promise<number> {
  const { db, wakeUps, log, now } = context
  const accounts = await listWaitingAccounts(db, { limit: waitingAccountsMax, offset, now: now() })
  const waiting: Party[] = []
  for (const party of lanes.history.inOrder(accounts.map(partyOf))) {
    if (!lanes.hasCapacity(party, { pinned: true })) {
      waiting.push(party)
      continue
    }
    const job = await startNextJob(db, party.account as Did, now())
    if (job === null) continue
    const work = lanes
      .start({
        run: (lane) => runJob(job, lane, context, signal),
        onSlow: () => wakeUps.notify('jobs'),
        pinned: true,
        party,
      })
      .catch((error) => log.error('job could not be ended', { jobId: job.id, error }))
      .finally(() => {
        running.delete(work)
        wakeUps.notify('jobs')
      })
    running.add(work)
  }
  // A job that ends or becomes slow sends a wake-up.
  lanes.preemptFor(waiting, { pinned: true })
  return accounts.length
}

/** The registrable domain of the account's server, else its host: jobs of a server share the spool. Null: not known. */
export async function spoolServerOf(db: Db, did: Did): Promise<string | null> {
  const host = hostOf((await findAccount(db, did))?.pds ?? null)
  return host === null ? null : (serversOf(host).at(-1) ?? null)
}

const partyOf = ({ did, pds }: WaitingAccount): Party => ({ account: did, host: hostOf(pds) })

const hostOf = (pds: string | null): string | null =>
  pds !== null && URL.canParse(pds) ? new URL(pds).host : null
