import { accountSitesMax } from '#site/limits.ts'
import type { Did, SiteAddress } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import type { Db } from '#store/database/database.ts'
import { distinctInOrder } from '#store/database/distinct-in-order.ts'
import { preparedForList } from '#store/database/prepared.ts'

/**
 * Those for which the ingest queue has room: of each account `accountSitesMax` wait at most. Whoever makes up names
 * makes up as many as they like, and what cannot be read stays in the queue.
 */
export async function admittedAmong(
  db: Db,
  sites: readonly SiteAddress[],
): Promise<readonly SiteAddress[]> {
  const ofAccount = Map.groupBy(sites, ({ did }) => did)
  const rows = await selectWaiting(db, [...ofAccount.keys()])
  const waiting = new Map(rows.map(({ did, count }) => [did, Number(count)]))
  const crowded = [...ofAccount].filter(
    ([did, asked]) => (waiting.get(did) ?? 0) + asked.length > accountSitesMax,
  )
  if (crowded.length === 0) return sites
  for (const [did, asked] of crowded) ofAccount.set(did, await withRoom(db, did, asked))
  return distinctInOrder([...ofAccount.values()].flat(), ({ did, name }) => `${did}/${name}`)
}

const selectWaiting = preparedForList<Did, { did: Did; count: number }>((db, dids) =>
  db
    .selectFrom('ingestQueue')
    .select(['did', ({ fn }) => fn.countAll<number>().as('count')])
    .where('did', 'in', dids)
    .groupBy('did'),
)

/** Those that wait already, and as many others as there is room for. */
async function withRoom(db: Db, did: Did, asked: readonly SiteAddress[]): Promise<SiteAddress[]> {
  const waiting = new Set(await listQueuedNames(db, did))
  const others = asked.filter(({ name }) => !waiting.has(name))
  return [
    ...asked.filter(({ name }) => waiting.has(name)),
    ...others.slice(0, Math.max(0, accountSitesMax - waiting.size)),
  ]
}

/** Of this account: what is due, and what waits for another try or is parked. */
export async function listQueuedNames(db: Db, did: Did): Promise<SiteName[]> {
  const rows = await db.selectFrom('ingestQueue').select('name').where('did', '=', did).execute()
  return rows.map(({ name }) => name)
}
