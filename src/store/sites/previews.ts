import type { SiteAddress } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import type { Db } from '#store/database/database.ts'
import { findSiteAtLabel } from './sites.ts'
import { shownRecords } from './version-records.ts'

/** A version with an alias. */
export interface AliasedVersion {
  readonly alias: string
  readonly label: string
  /** Null: its owner keeps it until further notice. */
  readonly expiresAt: number | null
  /** False: it was refused, has expired or was removed. */
  readonly hasContent: boolean
}

export interface SitePreviews {
  readonly site: SiteAddress
  /** Newest first. */
  readonly versions: readonly AliasedVersion[]
  /** Labels of previews that were removed: `pr-12--…`. A version may have the alias again. */
  readonly forgotten: ReadonlySet<string>
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
  const site = rows[0] ?? (await findSiteAtLabel(db, siteLabel))
  if (site === null) return null
  const { did, name } = site
  const forgotten = await listForgottenPreviews(db, { did, name })
  if (rows.length === 0 && forgotten.size === 0) return null
  const versions = rows.map(({ alias, label, expiresAt, hasContent }) => {
    return { alias, label, expiresAt, hasContent: Boolean(hasContent) }
  })
  return { site: { did, name }, versions, forgotten }
}

async function listForgottenPreviews(db: Db, { did, name }: SiteAddress): Promise<Set<string>> {
  const rows = await db
    .selectFrom('forgottenVersions')
    .innerJoin('accounts', 'accounts.did', 'forgottenVersions.did')
    .select('label')
    .where('forgottenVersions.did', '=', did)
    .where('site', '=', name)
    .where('label', 'not like', 'v--%')
    .where('accounts.status', '=', 'active')
    .execute()
  return new Set(rows.map(({ label }) => label))
}
