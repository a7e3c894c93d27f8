import { type RawBuilder, sql } from 'kysely'
import type { Did } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import { prepared, preparedForItems } from '#store/database/prepared.ts'
import type { WorkKind, WorkPriority } from '#store/database/schema.ts'
import { inSharedTransaction } from '#store/database/shared-transaction.ts'
import { isPostgres, lockUntilCommit } from '#store/database/transaction.ts'
import { leaseItems, type WorkItem } from './work-items.ts'

/**
 * The accounts whose items to take. `visited`: accounts that are only visited; `strangers`: these and unknown accounts;
 * `not-visited` and `known`: all others.
 */
export type Owners = 'all' | 'visited' | 'not-visited' | 'strangers' | 'known'

interface TakeOptions {
  readonly kind: WorkKind
  /** In this order. Default: the one that sites have. */
  readonly priorities?: readonly WorkPriority[]
  readonly owners?: Owners | undefined
  /** Left out: items in no line. */
  readonly line?: string | undefined
  readonly now: number
  readonly leaseMs: number
  readonly limit: number
}

/**
 * Leases due items of up to `limit` accounts, one of each, longest wait first: an account with many items does not delay
 * the others. No other caller gets items of that kind of these accounts until the leased ones are finished or retried,
 * or `leaseMs` are over.
 */
export async function takeDue(db: Db, options: TakeOptions): Promise<WorkItem[]> {
  // Most calls find nothing, and the others must not wait for them.
  if (isPostgres(db) && !(await isAnyDue(db, options))) return []
  const { kind, priorities = [0], owners = 'all', line = '', now, leaseMs, limit } = options
  return await inSharedTransaction(db, async (transaction) => {
    // Else two callers, of whom neither sees what the other has taken, take two items of an account.
    await lockUntilCommit(transaction, `take ${kind}`)
    const leased = { lease: crypto.randomUUID(), leasedUntil: now + leaseMs }
    const taken: WorkItem[] = []
    for (const priority of priorities) {
      if (taken.length >= limit) break
      const which = { kind, priority, line, now }
      const items = await findDue(transaction, limit - taken.length, which, owners)
      await leaseItems(transaction, items, leased)
      taken.push(
        ...items.map((item) => ({ ...item, attempts: item.attempts + 1, lease: leased.lease })),
      )
    }
    return taken
  })
}

async function isAnyDue(
  db: Db,
  { kind, priorities = [0], owners = 'all', line = '', now }: TakeOptions,
): Promise<boolean> {
  for (const priority of priorities) {
    const { rows } = await statements[owners].accounts(db, { kind, priority, line, now, limit: 1 })
    if (rows.length > 0) return true
  }
  return false
}

/**
 * When `takeDue` may next find an item in this line or in none, possibly in the past; null: there is none. An item that waits for
 * another one of its account counts as due when the other's lease ends; finishing the other wakes the worker's loop.
 */
export async function nextDueAt(
  db: Db,
  { kind, priority, owners = 'all', line = '', now }: NextOptions,
): Promise<number | null> {
  const rows = [
    ...(await statements[owners].free(db, { kind, priority, line, now })).rows,
    ...(await selectLeased(db, { kind, now })).rows,
  ]
  const times = rows.flatMap(({ at }) => at ?? [])
  return times.length === 0 ? null : Math.min(...times)
}

interface NextOptions extends Pick<TakeOptions, 'kind' | 'owners' | 'line' | 'now'> {
  readonly priority: WorkPriority
}

type FreeItem = Omit<WorkItem, 'lease'>

/** Rows that are searched for each account before all rows are grouped. */
const rowsPerAccount = 4

async function findDue(
  db: Db,
  limit: number,
  which: Which,
  owners: Owners,
): Promise<readonly FreeItem[]> {
  const rowsMax = limit * rowsPerAccount
  // Accounts in the order of their oldest rows: mostly, the oldest rows of all contain enough of them.
  const { rows } = await statements[owners].accounts(db, { ...which, limit: rowsMax })
  let dids = [...new Set(rows.map(({ did }) => did))].slice(0, limit)
  if (dids.length < limit && rows.length === rowsMax) {
    dids = await findAllDueAccounts(db, limit, which, owners)
  }
  if (dids.length === 0) return []
  const accounts = dids.map((did) => ({ did }))
  const items = await selectItems(db, accounts, which)
  const oldest = new Map(items.toReversed().map((item) => [item.did, item]))
  return dids.flatMap((did) => oldest.get(did) ?? [])
}

async function findAllDueAccounts(
  db: Db,
  limit: number,
  which: Which,
  owners: Owners,
): Promise<Did[]> {
  const rows = await due(freeRows(db, which, owners), which)
    .select('did')
    .groupBy('did')
    .orderBy(({ fn }) => fn.min('nextAttemptAt'))
    .orderBy('did')
    .limit(limit)
    .execute()
  return rows.map(({ did }) => did)
}

interface Which {
  readonly kind: WorkKind
  readonly priority: WorkPriority
  readonly line: string
  readonly now: number
}

type Named<Values> = { readonly [Name in keyof Values]: Values[Name] | RawBuilder<Values[Name]> }

const statementsOf = (owners: Owners) => ({
  accounts: prepared<Which & { limit: number }, { did: Did }>((db, which) =>
    due(freeRows(db, which, owners), which)
      .select('did')
      .orderBy('nextAttemptAt')
      .orderBy('did')
      .limit(which.limit),
  ),
  free: prepared<Which, { at: number | null }>((db, which) =>
    freeRows(db, which, owners).select(({ fn }) => fn.min('nextAttemptAt').as('at')),
  ),
})

const statements: Record<Owners, ReturnType<typeof statementsOf>> = {
  all: statementsOf('all'),
  visited: statementsOf('visited'),
  'not-visited': statementsOf('not-visited'),
  strangers: statementsOf('strangers'),
  known: statementsOf('known'),
}

// Without the priority, both databases search by account, however many items are due.
const selectItems = preparedForItems<{ did: Did }, Which, FreeItem>((db, accounts, which) => {
  const dids = accounts.map(({ did }) => did)
  const items = due(unleased(db, which), which)
    .select(['kind', 'did', 'site', 'enqueuedAt', 'attempts', 'token', 'traceId'])
    .select(({ selectFrom }) =>
      selectFrom('accounts').select('pds').whereRef('accounts.did', '=', 'workItems.did').as('pds'),
    )
    .where('did', 'in', dids)
    .orderBy('nextAttemptAt')
    .orderBy('site')
  return isPostgres(db) ? items.forUpdate().skipLocked() : items
})

const selectLeased = prepared<Pick<Which, 'kind' | 'now'>, { at: number | null }>((db, which) =>
  leasedRows(db, which).select(({ fn }) => fn.min('leasedUntil').as('at')),
)

const due = (rows: ReturnType<typeof unleased>, { now }: Pick<Named<Which>, 'now'>) =>
  rows.where('nextAttemptAt', '<=', now).where('leasedUntil', '<=', now)

function freeRows(db: Db, which: Named<Which>, owners: Owners) {
  const rows = unleased(db, which).where('priority', '=', which.priority)
  const known = db.selectFrom('accounts').select('did')
  const visited = db.selectFrom('visitedAccounts').select('did').where('droppedAt', 'is', null)
  switch (owners) {
    case 'all':
      return rows
    case 'visited':
      return rows.where('did', 'in', visited)
    case 'not-visited':
      return rows.where('did', 'not in', visited)
    case 'strangers':
      return rows.where(({ eb, or }) => or([eb('did', 'not in', known), eb('did', 'in', visited)]))
    case 'known':
      // Two lists: one list of accounts that are not only visited would be made of all accounts each time.
      return rows.where('did', 'in', known).where('did', 'not in', visited)
  }
}

/** Items of accounts that have no leased item of that kind. */
const unleased = (db: Db, { kind, line, now }: Pick<Named<Which>, 'kind' | 'line' | 'now'>) =>
  db
    .selectFrom('workItems')
    .where('kind', '=', kind)
    .where('line', '=', line)
    .where('did', 'not in', leasedRows(db, { kind, now }).select('did'))

const leasedRows = (db: Db, { kind, now }: Named<Pick<Which, 'kind' | 'now'>>) =>
  db
    .selectFrom('workItems')
    .where('kind', '=', kind)
    // A literal, as in the partial index.
    .where('leasedUntil', '>', sql.lit(0))
    .where('leasedUntil', '>', now)
