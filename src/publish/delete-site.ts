import type { AccountRepo } from '#atproto/repo/account-repo.ts'
import { ownNamespace } from '#site/namespace.ts'
import { partsToDelete, versionsOf } from '#site/record/plan-writes.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { parseVersionKey, type VersionKey } from '#site/version-key.ts'
import type { Db } from '#store/database/database.ts'
import type { WakeUps } from '#store/database/wake-ups.ts'
import { enqueueSites, enqueueVersions } from '#store/queues/enqueue.ts'
import {
  type CommitPlan,
  commitOnHead,
  deletion,
  type PlannedWrite,
  type RepoContext,
  SiteConflictError,
  writesMax,
} from './commit-on-head.ts'
import { readRepository } from './repository/read-repository.ts'
import { patienceOfAPerson } from './server-patience.ts'

interface DeleteContext extends RepoContext {
  readonly db: Db
  readonly wakeUps: WakeUps
}

/**
 * Removes a site from its owner's repository: manifest, settings, version records and the parts that no other site
 * needs, in one commit. Remains of an interrupted deletion count as the site. Returns false if there is no such site. Throws
 * SiteConflictError when another program changes the site meanwhile.
 */
export async function deleteSite(address: SiteAddress, context: DeleteContext): Promise<boolean> {
  const { repo, now, pause, signal } = context
  const conflict = () => new SiteConflictError(address)
  const versions = new Set<VersionKey>()
  const read = async (): Promise<Remains> => {
    const remains = await readRemains(address, repo)
    for (const key of remains.versions) versions.add(key)
    return remains
  }
  const plan = (remains: Remains, first: Remains): CommitPlan<boolean> => {
    const { cid, deletes } = remains
    // After the first read: our own commit succeeded, but its answer was lost.
    if (deletes.length === 0) return { kind: 'done', result: remains !== first }
    if (cid !== null && cid !== first.cid) throw conflict()
    const isAll = deletes.length <= writesMax
    return { kind: 'write', writes: deletes, written: () => isAll || null }
  }
  const isDeleted = await commitOnHead(
    { read, plan, mayWriteAlone: false, conflict },
    { repo, now, pause, signal, ...patienceOfAPerson },
  )
  if (!isDeleted) return false
  await enqueueSites(context, [address])
  // Their addresses end even while the firehose is late.
  const { did } = address
  const removed = [...versions].map((key) => ({ did, key }))
  await enqueueVersions(context, removed)
  return true
}

/** The records of a site at `head`. `cid` is the main record's; null without one. */
interface Remains {
  readonly head: string
  readonly cid: string | null
  readonly versions: readonly VersionKey[]
  /** The main record first: readers of a site never miss its other records. */
  readonly deletes: readonly PlannedWrite[]
}

async function readRemains(address: SiteAddress, repo: AccountRepo): Promise<Remains> {
  const { name: rkey } = address
  const repository = await readRepository(repo, rkey)
  const cid = repository.sites.get(rkey)?.cid ?? null
  const versions = versionsOf(address, repository)
  const deletes = [
    ...(cid === null ? [] : [deletion(ownNamespace.fs, rkey, cid)]),
    ...(repository.settings === null ? [] : [deletion(ownNamespace.settings, rkey)]),
    ...versions.map((key) => deletion(ownNamespace.version, key)),
    ...partsToDelete(address, repository).map((key) => deletion(ownNamespace.subfs, key)),
  ]
  const keys = versions.flatMap((key) => parseVersionKey(key) ?? [])
  return { head: repository.head, cid, versions: keys, deletes }
}
