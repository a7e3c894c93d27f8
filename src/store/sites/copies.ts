import type { Did } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import type { Db } from '#store/database/database.ts'

/** Of the account's foreign sites, by their names, a site of ours that has the same files live. */
export async function findCopies(db: Db, did: Did): Promise<ReadonlyMap<SiteName, SiteName>> {
  const slash = '%/%' as SiteName
  const rows = await db
    .selectFrom('versions as foreign')
    .innerJoin('versions as own', (join) =>
      join
        .onRef('own.did', '=', 'foreign.did')
        .onRef('own.filesDigest', '=', 'foreign.filesDigest'),
    )
    .select(['foreign.name as from', 'own.name as copy'])
    .where('foreign.did', '=', did)
    .where('foreign.state', '=', 'live')
    .where('foreign.name', 'like', slash)
    .where('own.state', '=', 'live')
    .where('own.name', 'not like', slash)
    .orderBy('own.name', 'desc')
    .execute()
  return new Map(rows.map(({ from, copy }) => [from, copy]))
}
