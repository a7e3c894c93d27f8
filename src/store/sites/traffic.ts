import { type RawBuilder, sql } from 'kysely'
import { yieldEventLoop } from '#concurrency/yield-event-loop.ts'
import type { Did, SiteAddress } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import type { UtcDay } from '#site/utc-day.ts'
import { chunksOf } from '#store/database/chunks.ts'
import type { Db } from '#store/database/database.ts'
import { prepared } from '#store/database/prepared.ts'
import { inTransaction, isPostgres } from '#store/database/transaction.ts'

/** What visitors took of a site. */
export interface Traffic {
  /** That were answered. */
  readonly requests: number
  /** Of bodies. */
  readonly bytes: number
  /** Requests that were answered with 429. */
  readonly refused: number
}

/** `site` empty: all sites of the account. */
export interface SiteTraffic extends Traffic {
  readonly did: Did
  readonly site: SiteName | ''
}

export type TrafficTotal = Pick<SiteTraffic, 'did' | 'site' | 'bytes'>

const trafficTables = ['siteTraffic', 'siteVisits', 'siteVisitors'] as const

/**
 * Adds these counts to those of the day, and returns what they are then. Each row has a key of its own. Ignores sites and accounts
 * that are not here (any more).
 */
export function addTraffic(
  db: Db,
  day: UtcDay,
  rows: readonly SiteTraffic[],
): Promise<TrafficTotal[]> {
  return inTransaction(db, async (transaction) => {
    const totals: TrafficTotal[] = []
    for (const chunk of chunksOf(rows)) {
      if (totals.length > 0) await yieldEventLoop()
      const added = await addStatement(transaction, day, chunk).execute(transaction)
      totals.push(...added.rows)
    }
    return totals
  })
}

// One parameter: a list of values would be compiled anew for each length.
function addStatement(db: Db, day: UtcDay, rows: readonly SiteTraffic[]): RawBuilder<TrafficTotal> {
  const json = JSON.stringify(rows)
  const given = isPostgres(db)
    ? sql`jsonb_to_recordset(cast(${json} as jsonb)) as given
        (did text, site text, requests bigint, bytes bigint, refused bigint)`
    : sql`(select value ->> 'did' as did, value ->> 'site' as site, value ->> 'requests' as requests,
        value ->> 'bytes' as bytes, value ->> 'refused' as refused from json_each(${json})) as given`
  return sql`
    insert into site_traffic (did, site, day, requests, bytes, refused)
    select given.did, given.site, cast(${day} as bigint), given.requests, given.bytes, given.refused
    from ${given}
    where case given.site
      when '' then exists (select 1 from accounts where accounts.did = given.did)
      else exists (
        select 1 from sites
        where sites.did = given.did and sites.name = given.site
          and (sites.removed_rev is null or sites.live_version_id is not null)
      )
    end
    order by given.did, given.site
    on conflict (did, day, site) do update set
      requests = site_traffic.requests + excluded.requests,
      bytes = site_traffic.bytes + excluded.bytes,
      refused = site_traffic.refused + excluded.refused
    returning did, site, bytes`
}

/** Of the account's sites that had visitors that day, and of all together (`site` empty). */
export async function listTraffic(db: Db, did: Did, day: UtcDay): Promise<SiteTraffic[]> {
  const { rows } = await selectTraffic(db, { did, day })
  return rows.map((row) => ({ ...row, bytes: Math.max(0, row.bytes) }))
}

const selectTraffic = prepared<{ did: Did; day: UtcDay }, SiteTraffic>((db, { did, day }) =>
  db
    .selectFrom('siteTraffic')
    .select(['did', 'site', 'requests', 'bytes', 'refused'])
    .where('did', '=', did)
    .where('day', '=', day),
)

/** Of each day on which the site had visitors, oldest first. */
export async function listTrafficByDay(db: Db, { did, name }: SiteAddress, since: UtcDay) {
  return await db
    .selectFrom('siteTraffic')
    .select(['day', 'requests', 'bytes', 'refused'])
    .where('did', '=', did)
    .where('site', '=', name)
    .where('day', '>=', since)
    .orderBy('day')
    .execute()
}

/** Forgets what visitors took of a site, and what they visited. */
export async function deleteTrafficOf(db: Db, { did, name }: SiteAddress): Promise<void> {
  for (const table of trafficTables) {
    await db.deleteFrom(table).where('did', '=', did).where('site', '=', name).execute()
  }
}

/** Forgets earlier days, and those of accounts that are not here (any more). */
export async function sweepTraffic(db: Db, before: UtcDay): Promise<void> {
  for (const table of trafficTables) {
    await db.deleteFrom(table).where('day', '<', before).execute()
    await db
      .deleteFrom(table)
      .where('did', 'not in', db.selectFrom('accounts').select('did'))
      .execute()
  }
}
