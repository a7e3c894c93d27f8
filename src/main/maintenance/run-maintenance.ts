import { visitDaysMax } from '#api/contract/limits.ts'
import { confirmAgain } from '#api/session/grant-check.ts'
import { adminIdleMs, sessionIdleMs } from '#api/session/sessions.ts'
import { UnusedSessions } from '#api/session/unused-sessions.ts'
import type { ClientKeys } from '#atproto/oauth/client-keys.ts'
import type { OAuth } from '#atproto/oauth/oauth.ts'
import { repeatEvery } from '#concurrency/every-or-when-woken.ts'
import { checkAfterMsMax } from '#domains/verify-domain.ts'
import type { CheckContext } from '#ingest/check-account.ts'
import { dropDeletedAccounts } from '#ingest/drop-deleted.ts'
import { leaseMs, retriesMs } from '#ingest/run-work.ts'
import { dropLeastVisited } from '#ingest/visited-quota.ts'
import type { Config } from '#main/config/config.ts'
import { accountDeletionRetryMs } from '#publish/account-deletions.ts'
import { jobMsMaxDefault } from '#publish/job-attempts.ts'
import type { Spool } from '#publish/upload/spool.ts'
import { replacedVersionMs } from '#site/limits.ts'
import type { Did } from '#site/site-address.ts'
import { utcDayOf } from '#site/utc-day.ts'
import { deleteExpiredTokens } from '#store/accounts/deploy-tokens.ts'
import { forgetUsedIdTokens } from '#store/accounts/publishers.ts'
import { deleteExpiredSealed } from '#store/accounts/sealed-rows.ts'
import { deleteEndedSessions } from '#store/accounts/sessions.ts'
import { forgetReceivedBefore } from '#store/blobs/received-blobs.ts'
import { deleteUploadedBlobsBefore } from '#store/blobs/uploaded-blobs.ts'
import { pruneChanges } from '#store/database/changes.ts'
import type { Db } from '#store/database/database.ts'
import type { Duties } from '#store/duties.ts'
import { deleteEndedLeases } from '#store/leases.ts'
import { keepAllForGood, touchVisited } from '#store/lifecycle/visited-accounts.ts'
import { pruneErrorEntries, pruneLogEntries } from '#store/log/prune-log.ts'
import { dropKeptSubdomains } from '#store/names/kept-subdomains.ts'
import { deleteCountedUploads } from '#store/queues/begun-uploads.ts'
import { deleteExpiredDeploys } from '#store/queues/deploys.ts'
import { enqueueInactiveAccounts } from '#store/queues/enqueue.ts'
import { deleteJobsFinishedBefore } from '#store/queues/jobs.ts'
import { deleteParkedUnknown } from '#store/queues/queued.ts'
import { pullBackTimes, type TimesAheadMax } from '#store/queues/times-ahead.ts'
import { expireVersions, forgetRemovedVersions } from '#store/sites/expire-versions.ts'
import { forgetRemovedSites } from '#store/sites/remove-site.ts'
import { sweepTraffic } from '#store/sites/traffic.ts'
import { dropReplacedSnapshots } from '#store/sites/versions.ts'
import { endVisitorDays } from '#store/sites/visitors.ts'
import { deleteDeliveriesBefore } from '#store/webhooks/deliveries.ts'
import { deliveryRetryMsMax } from '#webhooks/run-deliveries.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const logAgeMsMax = 30 * dayMs
const deliveryAgeMsMax = 30 * dayMs
/** The next call enqueues more. */
const inactiveAtOnce = 500
const parkedUnknownMax = 10_000

interface MaintenanceContext extends CheckContext {
  readonly oauth: OAuth
  /** Null at a loopback address. */
  readonly clientKeys: ClientKeys | null
  readonly config: Pick<Config, 'logRowsMax'>
  readonly spool: Pick<Spool, 'instance' | 'remove'>
}

interface VisitedContext extends CheckContext {
  readonly duties: Duties
  readonly config: Pick<Config, 'ingest' | 'visitedBytesMax'>
  readonly snapshots: { takeVisited(): Did[] }
}

/**
 * Hourly until the signal aborts: deletes expired rows and sessions, rotates client keys, confirms grants that servers did
 * not confirm, and enqueues inactive accounts once a day. Every minute: corrects times, drops expired previews and deletes old log
 * entries. A failed task does not stop the others.
 */
export async function runMaintenance(context: MaintenanceContext): Promise<void> {
  const { clientKeys, db, now, spool } = context
  const unused = new UnusedSessions(context)
  const sweep = async (): Promise<void> => {
    await sweepRows(db, now())
    await unused.revoke()
  }
  const hourly = (failure: string, work: () => Promise<unknown>): Promise<void> =>
    repeatEvery({ everyMs: hourMs, failure }, work, context)
  const everyMinute = (failure: string, work: () => Promise<unknown>): Promise<void> =>
    repeatEvery({ everyMs: minuteMs, failure }, work, context)
  await Promise.all([
    hourly('row sweep failed', sweep),
    hourly('expired deploys not dropped', async () => {
      const ids = await deleteExpiredDeploys(db, now(), spool.instance)
      for (const id of ids) await spool.remove(id)
    }),
    everyMinute('time correction failed', () => boundTimes(context)),
    everyMinute('expired previews not dropped', () => expirePreviews(context)),
    everyMinute('old log entries not deleted', () => boundLog(context)),
    // A server may have reported an account as inactive by mistake, and no event corrects it.
    hourly('inactive accounts not queued', () =>
      enqueueInactiveAccounts(context, { before: now() - dayMs, limit: inactiveAtOnce }),
    ),
    hourly('deleted accounts not dropped', () => dropDeletedAccounts(context)),
    hourly('grant confirmation failed', () => confirmAgain(context)),
    hourly('client key rotation failed', async () => await clientKeys?.keep()),
  ])
}

/** Until the signal aborts, where visitors are answered: records which accounts were visited, and drops some of them. */
export async function maintainVisited(context: VisitedContext): Promise<void> {
  const rhythm = { everyMs: minuteMs, failure: 'visited accounts not dropped' }
  await Promise.all([
    recordVisited({ ...context, touch: (dids) => touchVisited(context.db, dids, context.now()) }),
    context.duties.run('visited', ({ signal }) => {
      const itsContext = { ...context, signal }
      return repeatEvery(rhythm, () => boundVisited(itsContext), itsContext)
    }),
  ])
}

const visitsEveryMs = 10_000

interface RecordContext extends Pick<VisitedContext, 'log' | 'signal' | 'snapshots'> {
  readonly touch: (dids: readonly Did[]) => Promise<unknown>
}

/** Records which accounts this process's visitors have visited, until the signal aborts. */
export async function recordVisited({
  snapshots,
  touch,
  ...context
}: RecordContext): Promise<void> {
  const rhythm = { everyMs: visitsEveryMs, failure: 'visited accounts not recorded' }
  await repeatEvery(rhythm, () => touch(snapshots.takeVisited()), context)
}

async function expirePreviews({ db, now, wakeUps }: MaintenanceContext): Promise<void> {
  if ((await expireVersions(db, now())) > 0) wakeUps.notify('changes')
}

async function boundLog({ config, db, now }: MaintenanceContext): Promise<void> {
  const before = now() - logAgeMsMax
  await pruneLogEntries(db, { before, rowsMax: config.logRowsMax })
  await pruneErrorEntries(db, { before })
}

async function boundTimes({ db, log, now }: MaintenanceContext): Promise<void> {
  const rows = await pullBackTimes(db, now(), timesAheadMax)
  if (rows > 0) log.warn('times ahead of the clock corrected', { rows })
}

const timesAheadMax: TimesAheadMax = {
  retriesMs,
  queueLeaseMs: leaseMs,
  jobMs: jobMsMaxDefault,
  domainCheckMs: checkAfterMsMax,
  accountDeletionMs: accountDeletionRetryMs,
  deliveryMs: deliveryRetryMsMax,
}

/**
 * Drops the least recently visited accounts when their quota is exceeded. With another INGEST, accounts that were only visited are
 * dropped at once (`known`) or stay (`all`).
 */
async function boundVisited(context: VisitedContext): Promise<void> {
  const { config, db } = context
  if (config.ingest === 'all') await keepAllForGood(db)
  const visitedBytesMax = config.ingest === 'visited' ? config.visitedBytesMax : 0
  await dropLeastVisited({ ...context, visitedBytesMax })
}

async function sweepRows(db: Db, now: number): Promise<void> {
  await deleteEndedSessions(db, 'browserSessions', { now, idleMs: sessionIdleMs })
  await deleteEndedSessions(db, 'adminSessions', { now, idleMs: adminIdleMs })
  await deleteExpiredSealed(db, now)
  await deleteExpiredTokens(db, now)
  await forgetUsedIdTokens(db, now - hourMs)
  await deleteEndedLeases(db, now)
  await dropKeptSubdomains(db, now)
  await deleteJobsFinishedBefore(db, now - dayMs)
  await deleteCountedUploads(db, now)
  await dropReplacedSnapshots(db, now - replacedVersionMs)
  await deleteParkedUnknown(db, parkedUnknownMax)
  await pruneChanges(db, now - dayMs)
  await deleteDeliveriesBefore(db, now - deliveryAgeMsMax)
  await deleteUploadedBlobsBefore(db, now - dayMs)
  await forgetReceivedBefore(db, now - dayMs)
  await forgetRemovedSites(db, now - dayMs)
  await forgetRemovedVersions(db, now - dayMs)
  await sweepTraffic(db, utcDayOf(now) - visitDaysMax)
  await endVisitorDays(db, utcDayOf(now))
}
