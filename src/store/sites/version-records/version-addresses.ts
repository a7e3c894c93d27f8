import type { ExpressionBuilder, NotNull } from 'kysely'
import type { SiteAddress } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import type { VersionKey } from '#site/version-key.ts'
import type { Db } from '#store/database/database.ts'
import type { Schema } from '#store/database/schema.ts'
import { notTakenDown } from '#store/moderation/not-taken-down.ts'

/** What visitors of a version's address get. */
export interface ServedVersion extends SiteAddress {
  readonly key: VersionKey
  /** Of the record. */
  readonly cid: string
  readonly label: string
  readonly snapshot: string
  /** Null: its owner keeps it until further notice. */
  readonly expiresAt: number | null
}

/** A site's version that was removed, or has expired. */
export interface GoneVersion extends SiteAddress {
  readonly isGone: true
}

/**
 * What visitors of the address with this label get, also of a removed preview’s (`pr-12--…`); null: it never was one, or
 * nobody gets anything of its site, as when the account is not active or something is taken down. Records with the same content share an address.
 */
export async function findVersionByLabel(
  db: Db,
  label: string,
  now: number,
): Promise<ServedVersion | GoneVersion | null> {
  const served = await shownRecords(db)
    .select(['versionRecords.key', 'versionRecords.label', 'versionRecords.snapshot'])
    .select(['versionRecords.cid', 'versionRecords.expiresAt'])
    .where('versionRecords.label', '=', label)
    .where('versionRecords.snapshot', 'is not', null)
    .where(isCurrent(now))
    .$narrowType<{ label: NotNull; snapshot: NotNull; name: SiteName }>()
    .orderBy('versionRecords.key', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (served !== undefined) return served
  const expired = await shownRecords(db)
    .where('versionRecords.label', '=', label)
    .$narrowType<{ name: SiteName }>()
    .limit(1)
    .executeTakeFirst()
  const gone = expired ?? (await findForgotten(db, label))
  return gone === undefined ? null : { ...gone, isGone: true }
}

/** Of accounts and sites that visitors may see. */
export function shownRecords(db: Db) {
  return db
    .selectFrom('versionRecords')
    .innerJoin('accounts', 'accounts.did', 'versionRecords.did')
    .select(['versionRecords.did', 'versionRecords.site as name'])
    .where('accounts.status', '=', 'active')
    .where(notTakenDown('versionRecords.did', 'versionRecords.site'))
}

const isCurrent =
  (now: number) =>
  ({ eb, or }: ExpressionBuilder<Schema, 'versionRecords'>) =>
    or([eb('expiresAt', 'is', null), eb('expiresAt', '>', now)])

function findForgotten(db: Db, label: string): Promise<SiteAddress | undefined> {
  return db
    .selectFrom('forgottenVersions')
    .innerJoin('accounts', 'accounts.did', 'forgottenVersions.did')
    .select(['forgottenVersions.did', 'forgottenVersions.site as name'])
    .where('label', '=', label)
    .where('accounts.status', '=', 'active')
    .where(notTakenDown('forgottenVersions.did', 'forgottenVersions.site'))
    .executeTakeFirst()
}
