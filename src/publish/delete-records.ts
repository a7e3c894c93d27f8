import { setTimeout } from 'node:timers/promises'
import type { AccountRepo } from '#atproto/repo/account-repo.ts'
import type { Did } from '#site/site-address.ts'
import { commitDeletes, type RepoDelete } from './commit-deletes.ts'
import { writesMax } from './commit-site.ts'
import { patienceOfAPerson, withPatience } from './server-patience.ts'

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
  /** The first pause after somebody else's commit is up to twice this, each further one up to twice as long. */
  readonly conflictDelayMs?: number
}

/** In the order in which readers miss nothing of what they still see: main records first, parts last. */
const collections = [
  'place.sitehost.fs',
  'place.sitehost.settings',
  'place.sitehost.subfs',
] as const

/** Of each collection at once; with more of them it goes on after that. */
const recordsAtOnce = 5_000
/** Other programs may write to the same repository; after so many of them in a row we give up. */
const conflictsMax = 8
/** Of 200 records each: more than any account has. */
const commitsMax = 200

/**
 * Deletes every record of ours from the account's repository, in as few commits as the protocol allows. When it
 * fails midway the rest is still there, and can be deleted by asking again. Throws RecordsConflictError.
 */
export async function deleteAllRecords({
  repo,
  now,
  conflictDelayMs = 20,
}: DeleteContext): Promise<void> {
  const patience = { now, ...patienceOfAPerson }
  let conflicts = 0
  for (let round = 0; round < commitsMax && conflicts <= conflictsMax; round++) {
    const { head, deletes } = await withPatience(() => readRemains(repo), patience)
    if (deletes.length === 0) return
    const some = deletes.slice(0, writesMax)
    if (await withPatience(() => commitDeletes(some, head, repo), patience)) {
      conflicts = 0
      continue
    }
    conflicts += 1
    await setTimeout(conflictDelayMs * 2 ** conflicts * Math.random())
  }
  throw new RecordsConflictError(repo.did)
}

interface Remains {
  readonly head: string
  readonly deletes: readonly RepoDelete[]
}

/** `head` is read first: a commit that is made meanwhile makes the deletion fail, not half of it. */
async function readRemains(repo: AccountRepo): Promise<Remains> {
  const head = await repo.latestCommit()
  const deletes: RepoDelete[] = []
  for (const collection of collections) {
    const records = await repo.listRecords(collection, {
      recordsMax: recordsAtOnce,
      valuesMax: 0,
    })
    deletes.push(...records.map(({ rkey }): RepoDelete => ({ action: 'delete', collection, rkey })))
  }
  return { head, deletes }
}
