import type { Did } from '#site/site-address.ts'
import { containsText } from '#store/database/contains-text.ts'
import type { Db } from '#store/database/database.ts'
import { firstMatches, isWithin, type Key } from '#store/database/search.ts'
import type { Account } from './accounts.ts'

interface AccountSearch {
  /** A part of the handle or the DID; empty: every account. */
  readonly search: string
  readonly after: Key | null
  readonly limit: number
}

const order = ['createdAt', 'did'] as const

/** Accounts, newest first. */
export async function searchAccounts(
  db: Db,
  { search, ...page }: AccountSearch,
): Promise<Account[]> {
  const found = await firstMatches(db, {
    ...page,
    looksAtAll: search !== '',
    keyAt: async (after, rows) => {
      const row = await db
        .selectFrom('accounts')
        .select(order)
        .where(isWithin(order, { after, upTo: null }, 'desc'))
        .orderBy('createdAt', 'desc')
        .orderBy('did', 'desc')
        .limit(1)
        .offset(rows - 1)
        .executeTakeFirst()
      return row === undefined ? null : accountKey(row)
    },
    matchesIn: ({ limit, ...stretch }) =>
      db
        .selectFrom('accounts')
        .select('did')
        .where(isWithin(order, stretch, 'desc'))
        .$if(search !== '', (query) => query.where(containsText(['handle', 'did'], search)))
        .orderBy('createdAt', 'desc')
        .orderBy('did', 'desc')
        .limit(limit)
        .execute(),
  })
  const accounts = await accountsByDid(
    db,
    found.map(({ did }) => did),
  )
  return found.flatMap(({ did }) => accounts.get(did) ?? [])
}

export const accountKey = ({ createdAt, did }: Pick<Account, 'createdAt' | 'did'>): Key => [
  createdAt,
  did,
]

/** At most a page of them. */
export async function accountsByDid(
  db: Db,
  dids: readonly Did[],
): Promise<ReadonlyMap<Did, Account>> {
  if (dids.length === 0) return new Map()
  const rows = await db.selectFrom('accounts').selectAll().where('did', 'in', dids).execute()
  return new Map(rows.map((row) => [row.did, row]))
}

/** Live sites and their bytes, of each account that has any. */
export async function liveSitesOf(
  db: Db,
  dids: readonly Did[],
): Promise<ReadonlyMap<Did, { readonly sites: number; readonly bytes: number }>> {
  if (dids.length === 0) return new Map()
  const rows = await db
    .selectFrom('versions')
    .select(({ fn }) => [
      'did',
      fn.countAll<number>().as('sites'),
      fn.sum<number>('bytes').as('bytes'),
    ])
    .where('state', '=', 'live')
    .where('did', 'in', dids)
    .groupBy('did')
    .execute()
  return new Map(
    rows.map(({ bytes, did, sites }) => [did, { sites: Number(sites), bytes: Number(bytes) }]),
  )
}
