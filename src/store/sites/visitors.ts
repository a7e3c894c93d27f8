import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { yieldEventLoop } from '#concurrency/yield-event-loop.ts'
import type { Did, SiteAddress } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import type { UtcDay } from '#site/utc-day.ts'
import { VisitorSketch } from '#site/visitor-sketch.ts'
import { chunksOf } from '#store/database/chunks.ts'
import type { Db } from '#store/database/database.ts'
import { inTransaction, isPostgres } from '#store/database/transaction.ts'

/** Who visited a site since they were stored last. */
export interface SiteVisitors {
  readonly did: Did
  readonly site: SiteName
  readonly sketch: VisitorSketch
}

const saltBytes = 16

/**
 * What all processes hash visitors with on this day: random, and forgotten when the day is over, so that nobody can tell then whether
 * somebody was among them.
 */
export function visitorSalt(db: Db, day: UtcDay): Promise<string> {
  return inTransaction(db, async (transaction) => {
    await transaction.deleteFrom('visitorSalts').where('day', '<', day).execute()
    await transaction
      .insertInto('visitorSalts')
      .values({ day, salt: randomBytes(saltBytes).toString('base64') })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    const { salt } = await transaction
      .selectFrom('visitorSalts')
      .select('salt')
      .where('day', '=', day)
      .executeTakeFirstOrThrow()
    return salt
  })
}

/**
 * Merges these with the visitors of the day. Each row has a key of its own. Ignores sites that are not here (any more), and days
 * that are over (`endVisitorDays`).
 */
export function addVisitors(db: Db, day: UtcDay, rows: readonly SiteVisitors[]): Promise<void> {
  const sorted = rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  return inTransaction(db, async (transaction) => {
    for (const chunk of chunksOf(sorted)) {
      await yieldEventLoop()
      await addChunk(transaction, day, chunk)
    }
  })
}

/** In one order, so that two processes do not wait for each other. */
const keyOf = ({ did, site }: Pick<SiteVisitors, 'did' | 'site'>): string => `${did}\0${site}`

interface StoredVisitors extends Pick<SiteVisitors, 'did' | 'site'> {
  readonly sketch: string
}

async function addChunk(db: Db, day: UtcDay, chunk: readonly SiteVisitors[]): Promise<void> {
  const sites = JSON.stringify(chunk.map(({ did, site }) => ({ did, site })))
  await insertMissing(db, day, sites).execute(db)
  const { rows } = await selectStored(db, day, sites).execute(db)
  const stored = new Map(rows.map((row) => [keyOf(row), row.sketch]))
  const changed = chunk.flatMap(({ did, site, sketch }) => {
    const before = stored.get(keyOf({ did, site }))
    if (before === undefined) return []
    const merged = VisitorSketch.decode(before) ?? new VisitorSketch()
    merged.merge(sketch)
    const after = merged.encode()
    return after === before ? [] : [{ did, site, sketch: after, visitors: merged.estimate() }]
  })
  if (changed.length > 0) await updateStored(db, day, JSON.stringify(changed)).execute(db)
}

// One parameter: a list of values would be compiled anew for each length.
const givenRows = (db: Db, json: string) =>
  isPostgres(db)
    ? sql`jsonb_to_recordset(cast(${json} as jsonb)) as given
        (did text, site text, sketch text, visitors bigint)`
    : sql`(select value ->> 'did' as did, value ->> 'site' as site, value ->> 'sketch' as sketch,
        value ->> 'visitors' as visitors from json_each(${json})) as given`

const insertMissing = (db: Db, day: UtcDay, sites: string) => sql`
  insert into site_visitors (did, site, day, visitors, sketch)
  select given.did, given.site, cast(${day} as bigint), 0, ''
  from ${givenRows(db, sites)}
  where exists (
    select 1 from sites
    where sites.did = given.did and sites.name = given.site
      and (sites.removed_rev is null or sites.live_version_id is not null)
  )
  order by given.did, given.site
  on conflict (did, site, day) do nothing`

/** Locked until the transaction ends: another process merges with what this one stores. */
const selectStored = (db: Db, day: UtcDay, sites: string) => sql<StoredVisitors>`
  select stored.did, stored.site, stored.sketch
  from site_visitors as stored join ${givenRows(db, sites)}
    on stored.did = given.did and stored.site = given.site
  where stored.day = cast(${day} as bigint) and stored.sketch is not null
  order by stored.did, stored.site ${isPostgres(db) ? sql`for update of stored` : sql``}`

const updateStored = (db: Db, day: UtcDay, rows: string) => sql`
  update site_visitors set sketch = given.sketch, visitors = given.visitors
  from ${givenRows(db, rows)}
  where site_visitors.did = given.did and site_visitors.site = given.site
    and site_visitors.day = cast(${day} as bigint)`

/** About how many visitors the site had on each day, oldest first, without days that had none. */
export async function visitorsByDay(
  db: Db,
  { did, name }: SiteAddress,
  since: UtcDay,
): Promise<{ readonly day: UtcDay; readonly visitors: number }[]> {
  return await db
    .selectFrom('siteVisitors')
    .select(['day', 'visitors'])
    .where('did', '=', did)
    .where('site', '=', name)
    .where('day', '>=', since)
    .where('visitors', '>', 0)
    .orderBy('day')
    .execute()
}

/** Forgets all of earlier days but the numbers. */
export async function endVisitorDays(db: Db, today: UtcDay): Promise<void> {
  await db.deleteFrom('visitorSalts').where('day', '<', today).execute()
  await db
    .updateTable('siteVisitors')
    .set({ sketch: null })
    .where('day', '<', today)
    .where('sketch', 'is not', null)
    .execute()
}
