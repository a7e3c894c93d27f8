import { type AccountRepo, type RepoWrite, ServerRefusedError } from '#atproto/repo/account-repo.ts'
import { isTooMuchAtOnce, writesMax } from './commit-site.ts'

export type RepoDelete = Extract<RepoWrite, { action: 'delete' }>

/**
 * Deletes the first `writesMax` of these records in one commit on top of `head`, or all of them one by one, in
 * their order, at a server that does not take so many at once. False when the repository moved on since
 * `head`: nothing was deleted.
 */
export async function commitDeletes(
  deletes: readonly RepoDelete[],
  head: string,
  repo: Pick<AccountRepo, 'applyWrites' | 'deleteRecord'>,
): Promise<boolean> {
  try {
    await repo.applyWrites(deletes.slice(0, writesMax), head)
    return true
  } catch (error) {
    if (!(error instanceof ServerRefusedError)) throw error
    if (error.code === 'InvalidSwap') return false
    if (!isTooMuchAtOnce(error)) throw error
    for (const { collection, rkey } of deletes) await repo.deleteRecord(collection, rkey)
    return true
  }
}
