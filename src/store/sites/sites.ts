import type { Selectable } from 'kysely'
import { timeSlices } from '#concurrency/yield-event-loop.ts'
import type { Did, SiteAddress } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import { chunksOf } from '#store/database/chunks.ts'
import type { Db } from '#store/database/database.ts'
import { prepared } from '#store/database/prepared.ts'
import type { Schema } from '#store/database/schema.ts'
import { listVersions, type Version, versionColumns, versionOf } from './versions.ts'

/**
 * A site that we know at least one version of. One that its owner removed is not known any more.
 */
export interface Site extends SiteAddress {
  /** The host name label that is always the site's own: `s--…`. */
  readonly label: string
  /** What visitors get, as long as the account is active. */
  readonly live: Version | null
  /** The newest version, when it was refused; its `problems` say why. */
  readonly refused: Version | null
  readonly createdAt: number
  readonly updatedAt: number
}

/** What visitors get right now. */
export interface ServedSite extends SiteAddress {
  readonly label: string
  readonly versionId: string
  readonly recordCid: string
  /** The text that the version was recorded with. */
  readonly snapshot: string
  readonly publishedAt: number
  /** When it took the place of the one before, by our clock. */
  readonly liveSince: number
}

export async function findSite(db: Db, { did, name }: SiteAddress): Promise<Site | null> {
  const row = await db
    .selectFrom('sites')
    .selectAll()
    .where('did', '=', did)
    .where('name', '=', name)
    .executeTakeFirst()
  return row ? siteOf(row, await listVersions(db, { did, name })) : null
}

/** The account's sites, oldest first. Yields to the event loop while it reads a thousand of them. */
export async function listSites(db: Db, did: Did): Promise<Site[]> {
  const rows = await db
    .selectFrom('sites')
    .selectAll()
    .where('did', '=', did)
    .orderBy('createdAt')
    .orderBy('name')
    .execute()
  const sites: Site[] = []
  const yieldWhenDue = timeSlices()
  for (const chunk of chunksOf(rows, sitesPerQuery)) {
    await yieldWhenDue()
    sites.push(...(await sitesOf(db, did, chunk)))
  }
  return sites
}

/** With 10 versions each, of which two are read: some 2 ms. */
const sitesPerQuery = 50

async function sitesOf(
  db: Db,
  did: Did,
  rows: readonly Selectable<Schema['sites']>[],
): Promise<Site[]> {
  const names = rows.map(({ name }) => name)
  const versions = await db
    .selectFrom('versions')
    .select(['name', ...versionColumns])
    .where('did', '=', did)
    .where('name', 'in', names)
    // What was replaced is never the newest.
    .where('state', '!=', 'replaced')
    .orderBy('rev', 'desc')
    .orderBy('id', 'desc')
    .execute()
  const byName = Map.groupBy(versions, ({ name }) => name)
  return rows
    .map((row) => siteOf(row, (byName.get(row.name) ?? []).map(versionOf)))
    .filter((site) => site !== null)
}

/** The names of the account's sites, those of `listSites` among them. */
export async function listSiteNames(db: Db, did: Did): Promise<SiteName[]> {
  const { rows } = await selectNames(db, { did })
  return rows.map(({ name }) => name)
}

const selectNames = prepared<{ did: Did }, { name: SiteName }>((db, { did }) =>
  db.selectFrom('sites').select('name').where('did', '=', did),
)

/** What visitors of the site with this label get, if they get anything: the account must be active. */
export async function findSiteByLabel(db: Db, label: string): Promise<ServedSite | null> {
  const row = await servedSites(db).where('sites.label', '=', label).executeTakeFirst()
  return row ? servedSiteOf(row) : null
}

/**
 * The labels that `findSiteByLabel` answers, in their order, a page at a time: those after `after`.
 */
export async function listServedLabels(
  db: Db,
  { after = '', limit = 1000 }: { after?: string; limit?: number } = {},
): Promise<string[]> {
  const rows = await servedSites(db)
    .clearSelect()
    .select('sites.label')
    .where('sites.label', '>', after)
    .orderBy('sites.label')
    .limit(limit)
    .execute()
  return rows.map(({ label }) => label ?? '')
}

/**
 * Those of these labels that `findSiteByLabel` answers, and whose they are. As many as one statement takes: see
 * `chunksOf`.
 */
export async function servedLabelsAmong(
  db: Db,
  labels: readonly string[],
): Promise<[label: string, did: Did][]> {
  if (labels.length === 0) return []
  const rows = await servedSites(db)
    .clearSelect()
    .select(['sites.label', 'sites.did'])
    .where('sites.label', 'in', labels)
    .execute()
  return rows.map(({ label, did }) => [label ?? '', did])
}

function servedSites(db: Db) {
  return db
    .selectFrom('sites')
    .innerJoin('versions', 'versions.id', 'sites.liveVersionId')
    .leftJoin('accounts', 'accounts.did', 'sites.did')
    .where((where) =>
      where.or([where('accounts.status', 'is', null), where('accounts.status', '=', 'active')]),
    )
    .select(['sites.did', 'sites.name', 'sites.label'])
    .select(['versions.id as versionId', 'versions.recordCid', 'versions.snapshot'])
    .select(['versions.publishedAt', 'sites.updatedAt as liveSince'])
}

type ServedRow = Awaited<ReturnType<ReturnType<typeof servedSites>['execute']>>[number]

function servedSiteOf({ label, snapshot, ...row }: ServedRow): ServedSite | null {
  return label === null || snapshot === null ? null : { ...row, label, snapshot }
}

/** Null without a version. `versions` are newest first. */
function siteOf(row: Selectable<Schema['sites']>, versions: readonly Version[]): Site | null {
  const [newest] = versions
  if (newest === undefined || row.label === null) return null
  return {
    did: row.did,
    name: row.name,
    label: row.label,
    live: versions.find(({ state }) => state === 'live') ?? null,
    refused: newest.state === 'invalid' ? newest : null,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}
