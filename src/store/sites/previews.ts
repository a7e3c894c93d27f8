import type { SiteAddress } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import { isVersionLabel } from '#site/version-label.ts'
import type { Db } from '#store/database/database.ts'
import { shownRecords } from './version-records/version-addresses.ts'

/** A version with an alias. */
export interface AliasedVersion {
  readonly alias: string
  readonly label: string
  /** Null: its owner keeps it until further notice. */
  readonly expiresAt: number | null
  /** False: it has expired. */
  readonly hasContent: boolean
}

export interface SitePreviews {
  readonly site: SiteAddress
  /** Newest first. */
  readonly versions: readonly AliasedVersion[]
}

/** The previews of the site with this label (`s--…`), live or not; null: nobody has such a site, or it has none. */
export async function findPreviews(db: Db, siteLabel: string): Promise<SitePreviews | null> {
  const rows = await shownRecords(db)
    .select(['versionRecords.alias', 'versionRecords.label', 'versionRecords.expiresAt'])
    .select(({ eb }) => eb('versionRecords.snapshot', 'is not', null).as('hasContent'))
    .where('versionRecords.siteLabel', '=', siteLabel)
    .where('versionRecords.alias', 'is not', null)
    .where('versionRecords.label', 'is not', null)
    .$narrowType<{ alias: string; label: string; name: SiteName }>()
    .orderBy('versionRecords.key', 'desc')
    .execute()
  const [newest] = rows
  if (newest === undefined) return null
  const versions = rows.map(({ alias, label, expiresAt, hasContent }) => {
    return { alias, label, expiresAt, hasContent: Boolean(hasContent) }
  })
  return { site: { did: newest.did, name: newest.name }, versions }
}

/** The site whose version or previews have this label, whether visitors get them or not; null: there is none. */
export async function findSiteOfVersions(db: Db, label: string): Promise<SiteAddress | null> {
  const column = isVersionLabel(label) ? 'label' : 'siteLabel'
  const row = await db
    .selectFrom('versionRecords')
    .select(['did', 'site'])
    .where(column, '=', label)
    .where('label', 'is not', null)
    .limit(1)
    .executeTakeFirst()
  return row === undefined || row.site === '' ? null : { did: row.did, name: row.site }
}

/** A version that visitors get at its label, and at its alias if it has one. */
export interface VisitedVersion extends SiteAddress {
  readonly siteLabel: string
  readonly label: string
  readonly alias: string | null
}

/** What visitors get of the versions of the sites with these labels. At most as many as `chunksOf` yields. */
export async function listVisitedVersions(
  db: Db,
  siteLabels: readonly string[],
): Promise<VisitedVersion[]> {
  if (siteLabels.length === 0) return []
  return await shownRecords(db)
    .select(['versionRecords.siteLabel', 'versionRecords.label', 'versionRecords.alias'])
    .where('versionRecords.siteLabel', 'in', siteLabels)
    .where('versionRecords.label', 'is not', null)
    .where('versionRecords.snapshot', 'is not', null)
    .$narrowType<{ label: string; name: SiteName }>()
    .execute()
}

/** Those of these labels of versions at which visitors get something. At most as many as `chunksOf` yields. */
export async function visitedVersionsAmong(db: Db, labels: readonly string[]): Promise<string[]> {
  if (labels.length === 0) return []
  const rows = await shownRecords(db)
    .select('versionRecords.label')
    .where('versionRecords.label', 'in', labels)
    .where('versionRecords.snapshot', 'is not', null)
    .$narrowType<{ label: string }>()
    .execute()
  return rows.map(({ label }) => label)
}

/** A page of the labels of all sites with versions, in their order: at most `limit` after `after`. */
export async function listSitesWithVersions(
  db: Db,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('versionRecords')
    .select('siteLabel')
    .distinct()
    .where('siteLabel', '>', after)
    .orderBy('siteLabel')
    .limit(limit)
    .execute()
  return rows.map(({ siteLabel }) => siteLabel)
}

/** The labels of the sites whose versions have these labels. At most as many as `chunksOf` yields. */
export async function siteLabelsOfVersions(db: Db, labels: readonly string[]): Promise<string[]> {
  if (labels.length === 0) return []
  const rows = await db
    .selectFrom('versionRecords')
    .select('siteLabel')
    .distinct()
    .where('label', 'in', labels)
    .execute()
  return rows.map(({ siteLabel }) => siteLabel)
}
