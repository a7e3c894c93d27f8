import {
  type CommitPlan,
  commitOnHead,
  deletion,
  type RepoContext,
  SiteConflictError,
  writesMax,
} from '#publish/commit-on-head.ts'
import { type RepositoryState, readRepository } from '#publish/repository/read-repository.ts'
import { patienceOfAPerson, withPatience } from '#publish/server-patience.ts'
import { ownNamespace } from '#site/namespace.ts'
import { liveVersionKey } from '#site/record/plan-versions.ts'
import { partsOfVersion } from '#site/record/plan-writes.ts'
import type { SiteAddress } from '#site/site-address.ts'
import type { VersionKey } from '#site/version-key.ts'

export type ForgetOutcome =
  | {
      readonly kind: 'forgotten'
      /** The `at://` addresses of the records that were deleted. */
      readonly records: readonly string[]
      /** A revision of the repository without the record. */
      readonly rev: string
    }
  /** The site's record is the one that the version describes, and no newer version does. */
  | { readonly kind: 'live' }

/**
 * Deletes a version record and the parts that no other record reaches, in one commit: the account's server then drops
 * the blobs that only they name. A record that is gone already counts as deleted. Throws SiteConflictError when other
 * programs win every race.
 */
export async function forgetVersion(
  address: SiteAddress,
  key: VersionKey,
  { repo, now, pause, signal }: RepoContext,
): Promise<ForgetOutcome> {
  const deleted = new Set<string>()
  const plan = (repository: RepositoryState): CommitPlan<'forgotten' | 'live'> => {
    const version = repository.versions.get(key)
    if (version === undefined) return { kind: 'done', result: 'forgotten' }
    if (key === liveVersionKey(address.name, repository)) return { kind: 'done', result: 'live' }
    // Parts first: what remains of an interrupted deletion is still found through the record.
    const deletes = [
      ...partsOfVersion(address, key, repository).map((part) => deletion(ownNamespace.subfs, part)),
      deletion(ownNamespace.version, key),
    ]
    const written = deletes.slice(0, writesMax)
    return {
      kind: 'write',
      writes: written,
      written: () => {
        for (const { collection, rkey } of written) {
          deleted.add(`at://${address.did}/${collection}/${rkey}`)
        }
        return deletes.length <= writesMax ? 'forgotten' : null
      },
    }
  }
  const patience = { now, pause, signal, ...patienceOfAPerson }
  const kind = await commitOnHead(
    {
      read: () => readRepository(repo),
      plan,
      mayWriteAlone: false,
      conflict: () => new SiteConflictError(address),
    },
    { repo, ...patience },
  )
  if (kind === 'live') return { kind }
  return { kind, records: [...deleted], rev: await withPatience(() => repo.latestRev(), patience) }
}
