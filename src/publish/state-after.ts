import type { Committed, ListedRecord } from '#atproto/repo/account-repo.ts'
import { ownNamespace } from '#site/namespace.ts'
import type { SiteAddress } from '#site/site-address.ts'
import type { PlannedWrite } from './commit-on-head.ts'
import { partRecord, siteRecord, versionRecord } from './repository/read-repository.ts'
import type { RecentRepositories } from './repository/recent-repositories.ts'
import type { RepositoryState } from './repository/repository-state.ts'

/**
 * For `commitOnHead`: remembers what the repository is after a commit of ours, so that the next publish need not read it. A
 * server that ignores `swapCommit` may have let another program's commit in between; then the head is read, as ever, but
 * not what that program wrote.
 */
export const remembering =
  (address: SiteAddress, recent: RecentRepositories | undefined) =>
  (before: RepositoryState, writes: readonly PlannedWrite[], made: Committed): void => {
    const after = stateAfter(address, before, writes, made)
    recent?.replace(address, before, after, after === null ? 0 : jsonBytesOf(writes))
  }

/** Null: the server has not said all of it. */
function stateAfter(
  { name }: SiteAddress,
  before: RepositoryState,
  writes: readonly PlannedWrite[],
  { cids, head }: Committed,
): RepositoryState | null {
  if (head === null || cids.length !== writes.length) return null
  const sites = new Map(before.sites)
  const parts = new Map(before.parts)
  const versions = new Map(before.versions)
  let { settings } = before
  for (const [n, write] of writes.entries()) {
    const { collection, rkey } = write
    const cid = cids[n] ?? null
    const record: ListedRecord | null =
      write.action === 'delete' || cid === null ? null : { rkey, cid, value: write.value }
    switch (collection) {
      case ownNamespace.fs:
        put(sites, rkey, record && siteRecord(record))
        break
      case ownNamespace.subfs:
        put(parts, rkey, record && partRecord(record))
        break
      case ownNamespace.version:
        put(versions, rkey, record && versionRecord(record))
        break
      case ownNamespace.settings:
        if (rkey === name) settings = record
    }
  }
  return { ...before, head, settings, sites, parts, versions }
}

function put<Stored>(records: Map<string, Stored>, rkey: string, stored: Stored | null): void {
  if (stored === null) records.delete(rkey)
  else records.set(rkey, stored)
}

const jsonBytesOf = (writes: readonly PlannedWrite[]): number =>
  writes.reduce(
    (sum, write) => sum + (write.action === 'delete' ? 0 : JSON.stringify(write.value).length),
    0,
  )
