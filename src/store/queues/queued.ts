import type { Did, SiteAddress } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import type { VersionKey } from '#site/version-key.ts'
import type { Db } from '#store/database/database.ts'
import { prepared } from '#store/database/prepared.ts'
import type { WorkKind } from '#store/database/schema.ts'
import { notTakenDown } from '#store/moderation/not-taken-down.ts'
import { parkedAt } from './work-items.ts'

// Reads the queue without taking anything.

/** The account's sites in the queue: due, waiting for another attempt, or parked. */
export async function listQueuedNames(db: Db, did: Did): Promise<SiteName[]> {
  return (await listQueued(db, 'site', did)) as SiteName[]
}

/** The keys of the account's version records in the queue. */
export async function listQueuedVersions(db: Db, did: Did): Promise<VersionKey[]> {
  return (await listQueued(db, 'version', did)) as VersionKey[]
}

/** What of this kind and account is in the queue. */
export async function listQueued(db: Db, kind: WorkKind, did: Did): Promise<string[]> {
  const rows = await db
    .selectFrom('workItems')
    .select('site')
    .where('did', '=', did)
    .where('kind', '=', kind)
    .execute()
  return rows.map(({ site }) => site)
}

/** Whether the account waits to be read, or is being read. */
export async function isAccountQueued(db: Db, did: Did): Promise<boolean> {
  const row = db
    .selectFrom('workItems')
    .select('did')
    .where('did', '=', did)
    .where('kind', '=', 'account')
  return (await row.executeTakeFirst()) !== undefined
}

/** Counts accounts with sites that are due or being read, in no line, and did not fail in their last attempt. */
export async function countDueAccounts(db: Db, now: number): Promise<number> {
  const { rows } = await selectDueAccounts(db, { now })
  return rows[0]?.count ?? 0
}

const selectDueAccounts = prepared<{ now: number }, { count: number }>((db, { now }) =>
  db
    .selectFrom('workItems')
    .where('kind', '=', 'site')
    .where('priority', '=', 0)
    .where('line', '=', '')
    .where('nextAttemptAt', '<=', now)
    .where('lastError', 'is', null)
    .select(({ fn }) => fn.count<number>('did').distinct().as('count')),
)

const awaitedAttemptsMax = 3

/**
 * The most recently enqueued sites that may soon be live: without sites that failed several times, were removed by their
 * owner, are hidden with their account, or are taken down.
 */
export async function listAwaitedSites(db: Db, limit: number): Promise<SiteAddress[]> {
  const rows = await db
    .selectFrom('workItems')
    .leftJoin('accounts', 'accounts.did', 'workItems.did')
    .leftJoin('sites', (join) =>
      join.onRef('sites.did', '=', 'workItems.did').onRef('sites.name', '=', 'workItems.site'),
    )
    .select(['workItems.did', 'workItems.site'])
    .where('kind', '=', 'site')
    .where('attempts', '<', awaitedAttemptsMax)
    .where('sites.removedRev', 'is', null)
    .where((where) =>
      where.or([where('accounts.status', 'is', null), where('accounts.status', '=', 'active')]),
    )
    .where(notTakenDown('workItems.did', 'workItems.site'))
    .orderBy('enqueuedAt', 'desc')
    .orderBy('workItems.did')
    .orderBy('workItems.site')
    .limit(limit)
    .execute()
  return rows.map(({ did, site }) => ({ did, name: site as SiteName }))
}

export const linesAtOnce = 1_000

/**
 * The lines in which items of this kind wait, in alphabetical order after this one, at most `linesAtOnce`. Takes one query for each
 * line, however many items wait in it.
 */
export async function listLines(db: Db, kind: WorkKind, after = ''): Promise<string[]> {
  const lines: string[] = []
  while (lines.length < linesAtOnce) {
    const next = await db
      .selectFrom('workItems')
      .select('line')
      .where('kind', '=', kind)
      .where('priority', '=', 0)
      .where('line', '>', lines.at(-1) ?? after)
      .orderBy('line')
      .limit(1)
      .executeTakeFirst()
    if (next === undefined) break
    lines.push(next.line)
  }
  return lines
}

/** Deletes parked items of unknown accounts except the `keep` newest: an attacker can make up any number of accounts. */
export async function deleteParkedUnknown(db: Db, keep: number): Promise<void> {
  const parked = db
    .selectFrom('workItems')
    .select('did')
    .where('kind', '=', 'account')
    .where('priority', 'in', [0, 1])
    .where('line', '=', '')
    .where('nextAttemptAt', '=', parkedAt)
    .where('did', 'not in', db.selectFrom('accounts').select('did'))
  const kept = parked.orderBy('enqueuedAt', 'desc').orderBy('did').limit(keep)
  await db
    .deleteFrom('workItems')
    .where('kind', '=', 'account')
    .where('did', 'in', parked)
    .where('did', 'not in', kept)
    .execute()
}
