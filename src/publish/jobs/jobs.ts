import { everyOrWhenWoken } from '#concurrency/every-or-when-woken.ts'
import { Lanes } from '#concurrency/lanes.ts'
import type { Party } from '#concurrency/pace-history.ts'
import { recordEvent } from '#observe/events.ts'
import { inTrace, traceOf } from '#observe/trace.ts'
import { interruptedSentence } from '#publish/publish-failure.ts'
import type { Did } from '#site/site-address.ts'
import { databasePauseMsDefault, waitForDatabase } from '#store/database/wait-for-database.ts'
import { listOpenDeploys } from '#store/queues/deploys.ts'
import {
  finishJob,
  listWaitingAccounts,
  requeueJobs,
  startNextJob,
  type WaitingAccount,
} from '#store/queues/job-steps.ts'
import { endedJobsAmong, listUnfinishedJobs } from '#store/queues/jobs.ts'
import { subscribeToJobsOf, wakeJobsOf, wakeOthersWithJobs } from '#store/queues/wake-jobs.ts'
import { adoptFormer } from './adopt-former.ts'
import type { JobContext } from './job-context.ts'
import { detachedJobsMax, runningJobsMax, slowJobsMax } from './jobs-at-once.ts'
import { runJob } from './run-job.ts'
import { hostOf, spoolServerOf } from './spool-owner.ts'

/** Of either kind, the most jobs of one server, and of one registrable domain: one lane is left for others. */
const shares = { quick: { host: 3, domain: 3 }, slow: { host: 3, domain: 3 } }
/** Accounts examined per pass for the next jobs; the next pass examines others. */
const waitingAccountsMax = 2_000
const lookAgainMs = 5_000
/** Pause between passes when more accounts wait than one pass examines. */
const lookFurtherMs = 1_000

/**
 * Requeues the instance's jobs that a dead process left running, ends jobs without files, and removes files that belong
 * neither to a job nor to an open deploy.
 */
export async function recoverJobs(context: JobContext): Promise<void> {
  const { db, log, spool, now } = context
  await adoptFormer(context)
  const unfinished = await listUnfinishedJobs(db, spool.instance)
  const kept = new Set<string>()
  for (const job of unfinished) {
    if (await spool.has(job.id)) {
      kept.add(job.id)
      await spool.hold(job.id, job.progress.bytesTotal, {
        owner: job.did,
        isNewcomer: false,
        server: await spoolServerOf(db, job.did),
      })
    } else {
      await finishJob(db, job.id, { status: 'failed', error: interruptedSentence }, now())
      const facts = { job: job.id, did: job.did, site: job.site }
      recordEvent(log, 'publish_failed', { ...facts, reason: interruptedSentence })
    }
  }
  await requeueJobs(db, [...kept], now())
  for (const id of await listOpenDeploys(db, now(), spool.instance)) kept.add(id)
  await spool.sweep(kept)
}

/**
 * Runs queued jobs until the signal aborts: one per account, a few concurrently, in as many attempts as they need.
 * Accounts are ordered by their last attempt; accounts without one in the last hour come first, so a backlog counts as
 * one job. Jobs with slow servers have separate lanes (`Lanes`), detach while they send slowly, and wait in the queue
 * for a server's rate limit. Waits while the database is unavailable.
 */
export async function runJobs(context: JobContext, signal: AbortSignal): Promise<void> {
  const { wakeUps, log, databasePauseMs: pauseMs = databasePauseMsDefault, spool } = context
  using wakeUp = subscribeToJobsOf(spool.instance, wakeUps)
  const lanes = new Lanes(runningJobsMax, {
    ...context,
    detachedMax: detachedJobsMax,
    slowPinnedMax: slowJobsMax,
    shares,
  })
  const running: Running = new Map()
  let offset = 0
  const start = async (): Promise<number> => {
    await removeEnded(running, context)
    const seen = await startJobs(lanes, running, offset, context, signal)
    const isMore = seen >= waitingAccountsMax
    offset = isMore ? offset + seen : 0
    return isMore ? lookFurtherMs : lookAgainMs
  }
  const onError = waitForDatabase('jobs', { log, signal, pauseMs })
  await everyOrWhenWoken(start, { signal, wakeUp, onError })
  await Promise.all([...running.values()].map(({ work }) => work))
}

/** The attempts under way, by their jobs. */
type Running = Map<string, { readonly cancelled: AbortController; readonly work: Promise<void> }>

/** Frees the space of jobs that were cancelled, here or by another process. */
async function removeEnded(running: Running, { db, spool }: JobContext): Promise<void> {
  for (const id of await endedJobsAmong(db, spool.heldJobs)) {
    // An attempt still reads its files, and removes them when it ends.
    const attempt = running.get(id)
    if (attempt) attempt.cancelled.abort()
    else await spool.remove(id)
  }
}

/** Returns how many accounts were examined, starting at `offset`. */
async function startJobs(
  lanes: Lanes,
  running: Running,
  offset: number,
  context: JobContext,
  signal: AbortSignal,
): Promise<number> {
  const { db, wakeUps, log, now, spool } = context
  const { instance } = spool
  const options = { limit: waitingAccountsMax, offset, now: now(), instance }
  const accounts = await listWaitingAccounts(db, options)
  const waiting: Party[] = []
  for (const party of lanes.history.inOrder(accounts.map(partyOf))) {
    if (!lanes.hasCapacity(party, { pinned: true })) {
      waiting.push(party)
      continue
    }
    const job = await startNextJob(db, party.account as Did, now(), instance)
    if (job === null) continue
    const cancelled = new AbortController()
    const ends = { stop: signal, cancelled }
    const work = lanes
      .start({
        run: (lane) => inTrace(traceOf(job.traceId), () => runJob(job, lane, context, ends)),
        onSlow: () => wakeJobsOf(instance, wakeUps),
        pinned: true,
        party,
      })
      .catch((error) => log.error('job could not be ended', { job: job.id, error }))
      .then(async () => {
        // The job may have its next attempt already.
        if (running.get(job.id)?.cancelled === cancelled) running.delete(job.id)
        wakeJobsOf(instance, wakeUps)
        // They look again some seconds later anyway.
        await wakeOthersWithJobs(db, job.did, { instance, wakeUps }).catch((error) =>
          log.warn('other instances not woken', { job: job.id, error }),
        )
      })
    running.set(job.id, { cancelled, work })
  }
  // A job that ends or becomes slow sends a wake-up.
  lanes.preemptFor(waiting, { pinned: true })
  return accounts.length
}

const partyOf = ({ did, pds }: WaitingAccount): Party => ({ account: did, host: hostOf(pds) })
