import type { OAuth } from '#atproto/oauth/oauth.ts'
import { AccountRepo } from '#atproto/repo/account-repo.ts'
import { everyOrWhenWoken } from '#concurrency/every-or-when-woken.ts'
import { recordEvent } from '#observe/events.ts'
import type { Log } from '#observe/log.ts'
import type { Spool } from '#publish/upload/spool.ts'
import { ownNamespace } from '#site/namespace.ts'
import type { Did } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import { waitForDatabase } from '#store/database/wait-for-database.ts'
import type { WakeUps } from '#store/database/wake-ups.ts'
import {
  type AccountDeletionOutcome,
  beginAccountDeletion,
  finishAccountDeletion,
  takeDueAccountDeletions,
} from '#store/lifecycle/account-deletions.ts'
import { listDeployIds } from '#store/queues/deploys.ts'
import { listUnfinishedSites } from '#store/queues/jobs.ts'
import {
  type CommitPlan,
  commitOnHead,
  deletion,
  type PlannedWrite,
  type RepoContext,
} from './commit-on-head.ts'
import type { AtFailPoint } from './fail-points.ts'
import { type Pause, patienceOfAPerson } from './server-patience.ts'

export interface AccountDeletionContext {
  readonly db: Db
  readonly wakeUps: WakeUps
  readonly log: Log
  readonly oauth: Pick<OAuth, 'has' | 'revoke' | 'session'>
  readonly now: () => number
  readonly at: AtFailPoint
}

interface DeleteContext extends AccountDeletionContext {
  readonly spool: Pick<Spool, 'remove'>
  /** Before calls to the account's server are retried. */
  readonly pause?: Pause | undefined
}

/** Retry interval for an account deletion whose process was killed. Completing one is idempotent. */
export const accountDeletionRetryMs = 20_000
const accountDeletionsAtOnce = 10
const lookAgainMs = 5_000

/**
 * Deletes an account's rows here; with `records`, first our records in its repository: if that fails, nothing here has
 * changed. Refuses while the account publishes. `runAccountDeletions` ends its tokens, after a crash too. Throws what
 * writing to the repository throws.
 */
export async function deleteAccount(
  did: Did,
  { records }: { readonly records: boolean },
  context: DeleteContext,
): Promise<AccountDeletionOutcome> {
  const { at, db, wakeUps, log, now, oauth, pause, spool } = context
  if ((await listUnfinishedSites(db, did)).length > 0) return 'publishing'
  if (records) await deleteAllRecords({ repo: new AccountRepo(did, oauth.session), now, pause })
  at('records-deleted')
  const deploys = await listDeployIds(db, did)
  const outcome = await beginAccountDeletion(db, did, now())
  if (outcome === 'publishing') return outcome
  at('account-deleted')
  wakeUps.notify('changes')
  wakeUps.notify('account-deletions')
  for (const id of deploys) await spool.remove(id)
  recordEvent(log, 'account_deleted', { did, reason: records ? 'records too' : 'here only' })
  return outcome
}

/** Completes account deletions that have begun, until the signal aborts. Waits while the database is unavailable. */
export async function runAccountDeletions(
  context: AccountDeletionContext & { readonly signal: AbortSignal },
): Promise<void> {
  const { db, wakeUps, now, signal } = context
  using wakeUp = wakeUps.subscribe('account-deletions')
  const completeDue = async (): Promise<number> => {
    const limits = { retryMs: accountDeletionRetryMs, limit: accountDeletionsAtOnce }
    const due = await takeDueAccountDeletions(db, { now: now(), ...limits })
    await Promise.all(due.map((did) => completeAccountDeletion(did, context)))
    return lookAgainMs
  }
  const onError = waitForDatabase('account deletions', context)
  await everyOrWhenWoken(completeDue, { signal, wakeUp, onError })
}

async function completeAccountDeletion(
  did: Did,
  { db, wakeUps, log, now, oauth }: AccountDeletionContext,
): Promise<void> {
  try {
    await oauth.revoke(did)
  } catch (error) {
    // The tokens are deleted here, so the session that the server still considers open is unusable.
    log.warn('session not revoked', { did, error })
  }
  await finishAccountDeletion(db, did, now())
  wakeUps.notify('changes')
}

/** Other programs wrote to the repository at every attempt to delete the account's records. */
export class RecordsConflictError extends Error {
  override readonly name = 'RecordsConflictError'
  readonly did: Did

  constructor(did: Did) {
    super(`records changed meanwhile; did=${did}`)
    this.did = did
  }
}

/** Main records first, parts last: readers of a site never miss its other records. */
const collections = [
  ownNamespace.fs,
  ownNamespace.settings,
  ownNamespace.version,
  ownNamespace.subfs,
] as const

/** Records read of each collection at a time; more are deleted in further passes. */
const recordsAtOnce = 5_000

/**
 * Deletes every record of ours from the account's repository, in as few commits as the protocol allows. After a
 * failure midway, a retry deletes the rest. Throws RecordsConflictError.
 */
export async function deleteAllRecords(
  context: Pick<RepoContext, 'repo' | 'now' | 'pause'>,
): Promise<void> {
  const { repo } = context
  await commitOnHead(
    {
      read: () => readRemains(repo),
      plan: ({ deletes }): CommitPlan<true> =>
        deletes.length === 0
          ? { kind: 'done', result: true }
          : { kind: 'write', writes: deletes, written: () => null },
      mayWriteAlone: false,
      conflict: () => new RecordsConflictError(repo.did),
    },
    { ...context, ...patienceOfAPerson },
  )
}

/** Reads `head` first: if another program commits meanwhile, the whole deletion fails. */
async function readRemains(
  repo: AccountRepo,
): Promise<{ head: string; deletes: readonly PlannedWrite[] }> {
  const head = await repo.latestCommit()
  const deletes: PlannedWrite[] = []
  for (const collection of collections) {
    const records = await repo.listRecords(collection, { recordsMax: recordsAtOnce, valuesMax: 0 })
    deletes.push(...records.map(({ rkey }) => deletion(collection, rkey)))
  }
  return { head, deletes }
}
