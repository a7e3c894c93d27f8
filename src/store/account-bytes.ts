import type { SiteAddress } from '#site/site-address.ts'
import type { Db } from './database.ts'

/** What the live versions of the account's other sites hold. */
export async function bytesOfOtherSites(db: Db, { did, name }: SiteAddress): Promise<number> {
  const { bytes } = await db
    .selectFrom('versions')
    .select(({ fn }) => fn.sum<number | null>('bytes').as('bytes'))
    .where('did', '=', did)
    .where('name', '!=', name)
    .where('state', '=', 'live')
    .executeTakeFirstOrThrow()
  return Number(bytes ?? 0)
}
