import type { AccountRepo } from '#atproto/repo/account-repo.ts'
import type { Did } from '#site/site-address.ts'
import { type CommitPlan, commitOnHead, type PlannedWrite } from './commit-on-head.ts'
import { patienceOfAPerson } from './server-patience.ts'

/** Other programs wrote to the account's repository whenever its records were to be deleted. */
export class RecordsConflictError extends Error {
  override readonly name = 'RecordsConflictError'
  readonly did: Did

  constructor(did: Did) {
    super(`records changed meanwhile; did=${did}`)
    this.did = did
  }
}

interface DeleteContext {
  readonly repo: AccountRepo
  readonly now: () => number
}

/** In the order in which readers miss nothing of what they still see: main records first, parts last. */
const collections = [
  'place.sitehost.fs',
  'place.sitehost.settings',
  'place.sitehost.subfs',
] as const

/** Records read of each collection at a time; more are deleted in further passes. */
const recordsAtOnce = 5_000
/**
 * Deletes every record of ours from the account's repository, in as few commits as the protocol allows. When it
 * fails midway the rest is still there, and can be deleted by asking again. Throws RecordsConflictError.
 */
export async function deleteAllRecords({ repo, now }: DeleteContext): Promise<void> {
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
    { repo, patience: { now, ...patienceOfAPerson } },
  )
}

interface Remains {
  readonly head: string
  readonly deletes: readonly PlannedWrite[]
}

/** `head` is read first: a commit that is made meanwhile makes the deletion fail, not half of it. */
async function readRemains(repo: AccountRepo): Promise<Remains> {
  const head = await repo.latestCommit()
  const deletes: PlannedWrite[] = []
  for (const collection of collections) {
    const records = await repo.listRecords(collection, {
      recordsMax: recordsAtOnce,
      valuesMax: 0,
    })
    deletes.push(
      ...records.map(({ rkey }): PlannedWrite => ({ action: 'delete', collection, rkey })),
    )
  }
  return { head, deletes }
}
