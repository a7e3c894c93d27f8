import { sql } from 'kysely'
import { yieldEventLoop } from '#concurrency/yield-event-loop.ts'
import type { Did, SiteAddress } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import type { UtcDay } from '#site/utc-day.ts'
import { chunksOf } from '#store/database/chunks.ts'
import type { Db } from '#store/database/database.ts'
import type { VisitKind } from '#store/database/tables/traffic-tables.ts'
import { isPostgres } from '#store/database/transaction.ts'

export interface SiteVisits {
  readonly did: Did
  readonly site: SiteName
  readonly kind: VisitKind
  /** A path, a host, `DE`, `2xx`; empty: others, which are not told apart. */
  readonly value: string
  readonly count: number
}

/**
 * Rows that an account can have of one day before new names are counted as others: each process bounds its own names, but not
 * those that other processes and earlier starts have stored.
 */
const accountRowsMax = 10_000

/**
 * Adds these counts to those of the day. Each row has a key of its own. Ignores sites that are not here (any more). New names of
 * an account with `accountRowsMax` rows count as others.
 */
export async function addVisits(
  db: Db,
  day: UtcDay,
  rows: readonly SiteVisits[],
  rowsMax = accountRowsMax,
): Promise<void> {
  const sorted = rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  for (const chunk of chunksOf(sorted)) {
    await yieldEventLoop()
    const full = await fullAccounts(db, day, new Set(chunk.map(({ did }) => did)), rowsMax)
    const given = chunk.map((row) => ({ ...row, isFull: full.has(row.did) }))
    await addStatement(db, day, given).execute(db)
  }
}

/** Which of the accounts have as many rows of the day. */
async function fullAccounts(
  db: Db,
  day: UtcDay,
  dids: ReadonlySet<Did>,
  rowsMax: number,
): Promise<ReadonlySet<Did>> {
  const json = JSON.stringify([...dids])
  const listed = isPostgres(db)
    ? sql`select jsonb_array_elements_text(cast(${json} as jsonb))`
    : sql`select value from json_each(${json})`
  const { rows } = await sql<{ did: Did }>`
    select did from site_visits where day = cast(${day} as bigint) and did in (${listed})
    group by did having count(*) >= cast(${rowsMax} as bigint)`.execute(db)
  return new Set(rows.map(({ did }) => did))
}

/** In one order, so that two processes do not wait for each other. */
const keyOf = ({ did, kind, site, value }: SiteVisits): string =>
  [did, site, kind, value].join('\0')

type GivenVisits = SiteVisits & { readonly isFull: boolean }

// One parameter: a list of values would be compiled anew for each length.
function addStatement(db: Db, day: UtcDay, rows: readonly GivenVisits[]) {
  const json = JSON.stringify(rows)
  const given = isPostgres(db)
    ? sql`jsonb_to_recordset(cast(${json} as jsonb)) as given
        (did text, site text, kind text, value text, count bigint, "isFull" boolean)`
    : sql`(select value ->> 'did' as did, value ->> 'site' as site, value ->> 'kind' as kind,
        value ->> 'value' as value, value ->> 'count' as count, value ->> 'isFull' as "isFull"
        from json_each(${json})) as given`
  return sql`
    insert into site_visits (did, site, day, kind, value, count)
    select did, site, cast(${day} as bigint), kind, named, cast(sum(count) as bigint)
    from (
      select given.did, given.site, given.kind, given.count,
        case
          when not given."isFull" or given.kind = 'status' or exists (
            select 1 from site_visits as known
            where known.did = given.did and known.site = given.site and known.kind = given.kind
              and known.day = cast(${day} as bigint) and known.value = given.value
          ) then given.value
          else ''
        end as named
      from ${given}
      where exists (
        select 1 from sites
        where sites.did = given.did and sites.name = given.site
          and (sites.removed_rev is null or sites.live_version_id is not null)
      )
    ) as counted
    group by did, site, kind, named
    order by did, site, kind, named
    on conflict (did, site, kind, day, value) do update set
      count = site_visits.count + excluded.count`
}

/** The most visited first, and others (`value` empty) last. */
export async function listVisits(
  db: Db,
  { did, name }: SiteAddress,
  {
    kind,
    limit,
    since,
  }: { readonly kind: VisitKind; readonly limit: number; readonly since: UtcDay },
): Promise<Pick<SiteVisits, 'value' | 'count'>[]> {
  const rows = await db
    .selectFrom('siteVisits')
    .select(['value', sql<number>`cast(sum(count) as bigint)`.as('count')])
    .where('did', '=', did)
    .where('site', '=', name)
    .where('kind', '=', kind)
    .where('day', '>=', since)
    .groupBy('value')
    .orderBy(sql`case value when '' then 1 else 0 end`)
    .orderBy(sql`sum(count)`, 'desc')
    .orderBy('value')
    .execute()
  const others = rows.filter(({ value }, at) => value === '' || at >= limit)
  const first = rows.filter(({ value }, at) => value !== '' && at < limit)
  const count = others.reduce((sum, other) => sum + other.count, 0)
  return count === 0 ? first : [...first, { value: '', count }]
}

/** Views of pages by day, oldest first, without days that had none. */
export async function pageViewsByDay(
  db: Db,
  { did, name }: SiteAddress,
  since: UtcDay,
): Promise<{ readonly day: UtcDay; readonly count: number }[]> {
  return await db
    .selectFrom('siteVisits')
    .select(['day', sql<number>`cast(sum(count) as bigint)`.as('count')])
    .where('did', '=', did)
    .where('site', '=', name)
    .where('kind', '=', 'page')
    .where('day', '>=', since)
    .groupBy('day')
    .orderBy('day')
    .execute()
}

/** Oldest first. */
export async function listAllVisits(db: Db, { did, name }: SiteAddress) {
  return await db
    .selectFrom('siteVisits')
    .select(['day', 'kind', 'value', 'count'])
    .where('did', '=', did)
    .where('site', '=', name)
    .orderBy('day')
    .orderBy('kind')
    .orderBy('value')
    .execute()
}
