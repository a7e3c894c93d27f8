import type { NotNull, Selectable } from 'kysely'
import { timeSlices } from '#concurrency/yield-event-loop.ts'
import { type Did, type SiteAddress, siteLabel } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import { isAmong } from '#store/database/among.ts'
import { chunksOf } from '#store/database/chunks.ts'
import type { Db } from '#store/database/database.ts'
import { planned, prepared } from '#store/database/prepared.ts'
import { primaryDomainOf } from '#store/database/primary-domain-of.ts'
import type { Schema } from '#store/database/schema.ts'
import { notTakenDown } from '#store/moderation/not-taken-down.ts'
import { listVersions, type Version, versionColumns, versionOf } from './versions.ts'

/** A site of which at least one version is stored: its owner has not removed it. */
export interface Site extends SiteAddress {
  /** The host name label that is always the site's own: `s--…`. */
  readonly label: string
  /** What visitors get, as long as the account is active. */
  readonly live: Version | null
  /** The newest version if it was refused; its `problems` say why. */
  readonly refused: Version | null
  readonly createdAt: number
  readonly updatedAt: number
}

/** What visitors get right now. */
export interface ServedSite extends SiteAddress {
  readonly label: string
  readonly versionId: string
  readonly recordCid: string
  readonly snapshot: string
  readonly publishedAt: number
  /** When it replaced the version before it, by our clock. */
  readonly liveSince: number
  /** As `findPrimaryDomain` finds it. */
  readonly primaryDomain: string | null
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

/** Reading two of the 10 versions of each takes some 2 ms. */
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
    // A replaced version is never the newest.
    .where('state', '!=', 'replaced')
    .orderBy('rev', 'desc')
    .orderBy('id', 'desc')
    .execute()
  const byName = Map.groupBy(versions, ({ name }) => name)
  const sites = rows.map((row) => {
    const ofSite = byName.get(row.name) ?? []
    return siteOf(
      row,
      ofSite.map(({ name: _, ...version }) => versionOf(version)),
    )
  })
  return sites.filter((site) => site !== null)
}

/** Sites of any accounts, in the order of these addresses; at most a page of them. */
export async function findSites(db: Db, addresses: readonly SiteAddress[]): Promise<Site[]> {
  if (addresses.length === 0) return []
  const keys = addresses.map(({ did, name }) => [did, name])
  const rows = await db
    .selectFrom('sites')
    .selectAll()
    .where(isAmong(['did', 'name'], keys))
    .execute()
  const versions = await db
    .selectFrom('versions')
    .select(['did', 'name', ...versionColumns])
    .where(isAmong(['did', 'name'], keys))
    .where('state', '!=', 'replaced')
    .orderBy('rev', 'desc')
    .orderBy('id', 'desc')
    .execute()
  const rowsByLabel = new Map(rows.map((row) => [siteLabel(row), row]))
  const byLabel = Map.groupBy(versions, siteLabel)
  return addresses.flatMap((address) => {
    const row = rowsByLabel.get(siteLabel(address))
    const ofSite = byLabel.get(siteLabel(address)) ?? []
    const site =
      row &&
      siteOf(
        row,
        ofSite.map(({ did: _, name: __, ...version }) => versionOf(version)),
      )
    return site ?? []
  })
}

/** The names of the account's sites, including removed ones. */
export async function listSiteNames(db: Db, did: Did): Promise<SiteName[]> {
  const { rows } = await selectNames(db, { did })
  return rows.map(({ name }) => name)
}

/** The names of the account's sites, or of those among these, without removed ones. */
export async function listPresentNames(
  db: Db,
  did: Did,
  among?: readonly SiteName[],
): Promise<SiteName[]> {
  const rows = await db
    .selectFrom('sites')
    .select('name')
    .where('did', '=', did)
    .$if(among !== undefined, (sites) => sites.where('name', 'in', among ?? []))
    .where(({ eb, or }) => or([eb('removedRev', 'is', null), eb('liveVersionId', 'is not', null)]))
    .execute()
  return rows.map(({ name }) => name)
}

const selectNames = prepared<{ did: Did }, { name: SiteName }>((db, { did }) =>
  db.selectFrom('sites').select('name').where('did', '=', did),
)

/** What visitors of the site with this label get; null: nothing, as when the account is not active, or is taken down. */
export async function findSiteByLabel(db: Db, label: string): Promise<ServedSite | null> {
  const { rows } = await selectServed(db, { label })
  return rows[0] ?? null
}

const selectServed = planned<{ label: string }, ServedSite>((db, { label }) =>
  servedSites(db)
    .select(['sites.did', 'sites.name', 'sites.label', 'sites.updatedAt as liveSince'])
    .select(['versions.id as versionId', 'versions.recordCid', 'versions.snapshot'])
    .select('versions.publishedAt')
    .select(({ ref }) => primaryDomainOf(ref('sites.did'), ref('sites.name')).as('primaryDomain'))
    .$narrowType<{ label: NotNull; snapshot: NotNull }>()
    .where('sites.label', '=', label),
)

/** The site with this label, served or not; null: it is unknown, or removed. */
export async function findSiteAtLabel(db: Db, label: string): Promise<SiteAddress | null> {
  const row = await db
    .selectFrom('sites')
    .select(['did', 'name'])
    .where('label', '=', label)
    .executeTakeFirst()
  return row ?? null
}

/** A page of the labels that `findSiteByLabel` finds, in their order: at most `limit` after `after`. */
export async function listServedLabels(
  db: Db,
  { after = '', limit = 1000 }: { after?: string; limit?: number } = {},
): Promise<string[]> {
  const rows = await sitesOfActive(db)
    .select('sites.label')
    .$narrowType<{ label: NotNull }>()
    // A live version has a snapshot: not reading its row is most of the time, where there are many.
    .where('sites.liveVersionId', 'is not', null)
    .where('sites.label', '>', after)
    .orderBy('sites.label')
    .limit(limit)
    .execute()
  return rows.map(({ label }) => label)
}

/** The labels among these that `findSiteByLabel` finds, with their accounts. At most as many as `chunksOf` yields. */
export async function servedLabelsAmong(
  db: Db,
  labels: readonly string[],
): Promise<[label: string, did: Did][]> {
  if (labels.length === 0) return []
  const rows = await servedSites(db)
    .select(['sites.label', 'sites.did'])
    .$narrowType<{ label: NotNull }>()
    .where('sites.label', 'in', labels)
    .execute()
  return rows.map(({ label, did }) => [label, did])
}

const servedSites = (db: Db) =>
  sitesOfActive(db)
    .innerJoin('versions', 'versions.id', 'sites.liveVersionId')
    .where('versions.snapshot', 'is not', null)

function sitesOfActive(db: Db) {
  return db
    .selectFrom('sites')
    .leftJoin('accounts', 'accounts.did', 'sites.did')
    .where((where) =>
      where.or([where('accounts.status', 'is', null), where('accounts.status', '=', 'active')]),
    )
    .where('sites.label', 'is not', null)
    .where(notTakenDown('sites.did', 'sites.name'))
}

/** Null without a version. `versions` are newest first. */
function siteOf(row: Selectable<Schema['sites']>, versions: readonly Version[]): Site | null {
  const { did, name, label, createdAt, updatedAt } = row
  const [newest] = versions
  if (newest === undefined || label === null) return null
  const live = versions.find(({ state }) => state === 'live') ?? null
  const refused = newest.state === 'invalid' ? newest : null
  return { did, name, label, live, refused, createdAt, updatedAt }
}
