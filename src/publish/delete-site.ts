import { setTimeout } from 'node:timers/promises'
import type { AccountRepo } from '#atproto/repo/account-repo.ts'
import { partsToDelete } from '#site/record/plan-writes.ts'
import type { SiteAddress } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import type { Hints } from '#store/database/hints.ts'
import { enqueueIngest } from '#store/queues/ingest-queue.ts'
import { readRepository } from './account-records.ts'
import { commitDeletes, type RepoDelete } from './commit-deletes.ts'
import { SiteConflictError, writesMax } from './commit-site.ts'
import { patienceOfAPerson, withPatience } from './server-patience.ts'

export type SiteDeletion =
  | { readonly deleted: true }
  | { readonly deleted: false; readonly reason: 'no-site' }

interface DeleteContext {
  readonly repo: AccountRepo
  readonly db: Db
  readonly hints: Hints
  readonly now: () => number
  readonly signal: AbortSignal
}

/** Other programs may write to the same repository; after so many of them in a row we give up. */
const commitsMax = 8
const commitDelayMs = 20

/**
 * Removes a site from its owner's repository: manifest, settings and the parts that nobody else needs, in
 * one commit. What an interrupted deletion left behind counts as the site. Tries again when the repository
 * moved on for another reason; throws SiteConflictError when the site itself did.
 */
export async function deleteSite(
  address: SiteAddress,
  context: DeleteContext,
): Promise<SiteDeletion> {
  const { db, hints, now } = context
  if (!(await deleteRecords(address, context))) return { deleted: false, reason: 'no-site' }
  await enqueueIngest(db, [address], now())
  hints.notify('ingest')
  return { deleted: true }
}

/** False when there was nothing to delete. */
async function deleteRecords(
  address: SiteAddress,
  { repo, now, signal }: Pick<DeleteContext, 'repo' | 'now' | 'signal'>,
): Promise<boolean> {
  const patience = { now, signal, ...patienceOfAPerson }
  const read = () => withPatience(() => readRemains(address, repo), patience)
  const first = await read()
  let remains = first
  for (let attempt = 0; attempt < commitsMax; attempt++) {
    const { cid, deletes, head } = remains
    // Not at the first look: our own commit, whose answer was lost on its way.
    if (deletes.length === 0) return attempt > 0
    if (cid !== null && cid !== first.cid) break
    const isCommitted = await withPatience(() => commitDeletes(deletes, head, repo), patience)
    if (isCommitted && deletes.length <= writesMax) return true
    await setTimeout(commitDelayMs * 2 ** Math.min(attempt, 6) * Math.random())
    remains = await read()
  }
  throw new SiteConflictError(address)
}

/** What the repository holds of a site at `head`. `cid` is its main record's; null without one. */
interface Remains {
  readonly head: string
  readonly cid: string | null
  /** In the order in which readers miss nothing of what they still see: the main record first. */
  readonly deletes: readonly RepoDelete[]
}

async function readRemains(address: SiteAddress, repo: AccountRepo): Promise<Remains> {
  const { name: rkey } = address
  // Reads `head` first, so that it covers the settings too.
  const repository = await readRepository(repo)
  const settings = await repo.findRecord('place.sitehost.settings', rkey)
  const cid = repository.sites.get(rkey)?.cid ?? null
  const deletes = [
    ...(cid === null ? [] : [deletion('place.sitehost.fs', rkey)]),
    ...(settings === null ? [] : [deletion('place.sitehost.settings', rkey)]),
    ...partsToDelete(address, repository).map((key) => deletion('place.sitehost.subfs', key)),
  ]
  return { head: repository.head, cid, deletes }
}

const deletion = (collection: RepoDelete['collection'], rkey: string): RepoDelete => ({
  action: 'delete',
  collection,
  rkey,
})
