import type { Db } from '#store/database/database.ts'
import type { Schema } from '#store/database/schema.ts'

/** What the database holds; counted by indexes, 100,000 sites in some 20 ms. */
export interface Totals {
  readonly accounts: number
  /** With at least one version that is stored. */
  readonly sites: number
  readonly subdomains: number
  readonly customDomains: number
  /** Versions that visitors get, unless the account is not active. */
  readonly live: { readonly sites: number; readonly bytes: number }
}

export async function readTotals(db: Db): Promise<Totals> {
  const countOf = async (table: keyof Schema & string): Promise<number> => {
    const { count } = await db
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .$if(table === 'sites', (query) => query.where('sites.label' as never, 'is not', null))
      .executeTakeFirstOrThrow()
    return Number(count)
  }
  const live = await db
    .selectFrom('versions')
    .select(({ fn }) => [fn.countAll<number>().as('sites'), fn.sum<number>('bytes').as('bytes')])
    .where('state', '=', 'live')
    .executeTakeFirstOrThrow()
  return {
    accounts: await countOf('accounts'),
    sites: await countOf('sites'),
    subdomains: await countOf('subdomains'),
    customDomains: await countOf('customDomains'),
    live: { sites: Number(live.sites), bytes: Number(live.bytes) },
  }
}
