import { type RawBuilder, sql } from 'kysely'
import type { Did } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import { prepared, preparedForItems } from '#store/database/prepared.ts'
import type { WorkKind, WorkPriority } from '#store/database/schema.ts'
import { inSharedTransaction } from '#store/database/shared-transaction.ts'
import { isPostgres } from '#store/database/transaction.ts'
import { leaseItems, type WorkItem } from './work-items.ts'

/**
 * Whose items. `visited`: of accounts that are only visited; `strangers`: of those, or of accounts that are not known;
 * `not-visited` and `known` are the others.
 */
export type Owners = 'visited' | 'not-visited' | 'strangers' | 'known'

interface TakeOptions {
  readonly kind: WorkKind
  /** In this order. Default: those that sites have. */
  readonly priorities?: readonly WorkPriority[]
  /** Left out: everybody's. */
  readonly owners?: Owners | undefined
  /** Left out: what is in no line. */
  readonly line?: string | undefined
  readonly now: number
  readonly leaseMs: number
  readonly limit: number
}

/**
 * Takes due items of up to `limit` accounts, one of each, those first who have waited longest: however
 * much one account has to be looked at, the others go on. Nobody else gets them, nor others of that kind of these
 * accounts, until they are finished or retried, or `leaseMs` are over.
 */
export function takeDue(
  db: Db,
  { kind, priorities = [0], owners, line, now, leaseMs, limit }: TakeOptions,
): Promise<WorkItem[]> {
  const variant = { owners, isInLine: line !== undefined }
  return inSharedTransaction(db, async (transaction) => {
    const taken: WorkItem[] = []
    for (const priority of priorities) {
      if (taken.length >= limit) break
      const which = { kind, priority, now, line: line ?? '' }
      const due = await findDue(transaction, limit - taken.length, which, variant)
      await leaseItems(transaction, due, { leasedUntil: now + leaseMs })
      taken.push(...due)
    }
    return taken.map((item) => ({ ...item, attempts: item.attempts + 1 }))
  })
}

/**
 * When `takeDue` may find something next that is in no line, which may be past; null when there is nothing. What waits for
 * another item of its account is not due before that one's lease is over: whoever finishes it says so.
 */
export async function nextDueAt(
  db: Db,
  { kind, priority, owners, now }: NextOptions,
): Promise<number | null> {
  const { free, leased } = statementsFor({ owners, isInLine: false })
  const rows = [
    ...(await free(db, { kind, priority, now, line: '' })).rows,
    ...(await leased(db, { kind, now })).rows,
  ]
  const times = rows.flatMap(({ at }) => at ?? [])
  return times.length === 0 ? null : Math.min(...times)
}

interface NextOptions {
  readonly kind: WorkKind
  readonly priority: WorkPriority
  readonly owners?: Owners | undefined
  readonly now: number
}

/** Rows that are looked through for so many different accounts before all rows are. */
const rowsPerAccount = 4

async function findDue(
  db: Db,
  limit: number,
  which: Which,
  variant: Variant,
): Promise<readonly WorkItem[]> {
  const { accounts, items } = statementsFor(variant)
  const rowsMax = limit * rowsPerAccount
  // In the order of their oldest rows: mostly those of the oldest rows of all.
  const { rows } = await accounts(db, { ...which, limit: rowsMax })
  let dids = [...new Set(rows.map(({ did }) => did))].slice(0, limit)
  if (dids.length < limit && rows.length === rowsMax) {
    dids = await findAllDueAccounts(db, limit, which, variant)
  }
  if (dids.length === 0) return []
  const due = await items(
    db,
    dids.map((did) => ({ did })),
    which,
  )
  const oldest = new Map(due.toReversed().map((item) => [item.did, item]))
  return dids.flatMap((did) => oldest.get(did) ?? [])
}

async function findAllDueAccounts(
  db: Db,
  limit: number,
  which: Which,
  variant: Variant,
): Promise<Did[]> {
  const rows = await dueRows(db, which, variant)
    .select('did')
    .groupBy('did')
    .orderBy(({ fn }) => fn.min('nextAttemptAt'))
    .orderBy('did')
    .limit(limit)
    .execute()
  return rows.map(({ did }) => did)
}

/** What is said in the text of a statement, not by its parameters. */
interface Variant {
  readonly owners: Owners | undefined
  readonly isInLine: boolean
}

interface Which {
  readonly kind: WorkKind
  readonly priority: WorkPriority
  readonly now: number
  readonly line: string
}

type Named<Values> = { readonly [Name in keyof Values]: Values[Name] | RawBuilder<Values[Name]> }

const madeStatements = new Map<string, ReturnType<typeof makeStatements>>()

function statementsFor(variant: Variant) {
  const key = `${variant.owners} ${variant.isInLine}`
  const statements = madeStatements.get(key) ?? makeStatements(variant)
  madeStatements.set(key, statements)
  return statements
}

const makeStatements = (variant: Variant) => ({
  accounts: prepared<Which & { limit: number }, { did: Did }>((db, values) =>
    dueRows(db, values, variant)
      .select('did')
      .orderBy('nextAttemptAt')
      .orderBy('did')
      .limit(values.limit),
  ),
  items: preparedForItems<{ did: Did }, Which, WorkItem>((db, accounts, which) => {
    // Without the priority, which the accounts were found by: both databases go by the account then, however many are due.
    const due = dueOf(unleased(db, which, variant), which)
      .select(['kind', 'did', 'site', 'enqueuedAt', 'attempts', 'token'])
      .select(({ selectFrom }) =>
        selectFrom('accounts')
          .select('pds')
          .whereRef('accounts.did', '=', 'workItems.did')
          .as('pds'),
      )
      .where(
        'did',
        'in',
        accounts.map(({ did }) => did),
      )
      .orderBy('nextAttemptAt')
      .orderBy('site')
    return isPostgres(db) ? due.forUpdate().skipLocked() : due
  }),
  free: prepared<Which, { at: number | null }>((db, which) =>
    freeRows(db, which, variant).select(({ fn }) => fn.min('nextAttemptAt').as('at')),
  ),
  leased: prepared<Pick<Which, 'kind' | 'now'>, { at: number | null }>((db, which) =>
    leasedRows(db, which).select(({ fn }) => fn.min('leasedUntil').as('at')),
  ),
})

const dueRows = (db: Db, which: Named<Which>, variant: Variant) =>
  dueOf(freeRows(db, which, variant), which)

const dueOf = (rows: ReturnType<typeof unleased>, { now }: Pick<Named<Which>, 'now'>) =>
  rows.where('nextAttemptAt', '<=', now).where('leasedUntil', '<=', now)

const freeRows = (db: Db, which: Named<Which>, variant: Variant) =>
  unleased(db, which, variant)
    .where('priority', '=', which.priority)
    // Not of one list of those who are known for good: it would be made anew each time, of all accounts.
    .$if(variant.owners === 'known', (rows) =>
      rows.where('did', 'in', known(db)).where('did', 'not in', visitedOnly(db)),
    )
    .$if(variant.owners === 'strangers', (rows) =>
      rows.where(({ eb, or }) =>
        or([eb('did', 'not in', known(db)), eb('did', 'in', visitedOnly(db))]),
      ),
    )
    .$if(variant.owners === 'visited', (rows) => rows.where('did', 'in', visitedOnly(db)))
    .$if(variant.owners === 'not-visited', (rows) => rows.where('did', 'not in', visitedOnly(db)))

/** Of accounts of which nothing of that kind is taken. */
const unleased = (
  db: Db,
  { kind, now, line }: Pick<Named<Which>, 'kind' | 'now' | 'line'>,
  { isInLine }: Variant,
) =>
  db
    .selectFrom('workItems')
    .where('kind', '=', kind)
    .$if(!isInLine, (rows) => rows.where('line', 'is', null))
    .$if(isInLine, (rows) => rows.where('line', '=', line))
    .where('did', 'not in', leasedRows(db, { kind, now }).select('did'))

const leasedRows = (db: Db, { kind, now }: Named<Pick<Which, 'kind' | 'now'>>) =>
  db
    .selectFrom('workItems')
    .where('kind', '=', kind)
    // Said in the statement: there is an index of those that were taken, and of no others.
    .where('leasedUntil', '>', sql.lit(0))
    .where('leasedUntil', '>', now)

const known = (db: Db) => db.selectFrom('accounts').select('did')

const visitedOnly = (db: Db) =>
  db.selectFrom('visitedAccounts').select('did').where('droppedAt', 'is', null)
