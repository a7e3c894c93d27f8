import { versionRecordsMax, versionsKeptDefault } from '#site/limits.ts'
import { isWithinVersionQuota, planVersions } from '#site/record/plan-versions.ts'
import type { SiteSettings } from '#site/record/settings.ts'
import { isSameJson } from '#site/same-json.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { parseVersionKey, type VersionKey } from '#site/version-key.ts'
import { overPreviewQuotaSentence, overQuotaSentence, type VersionToWrite } from './new-version.ts'
import type { RepositoryState } from './repository/read-repository.ts'
import { type SiteRecords, settingsOf } from './site-records.ts'

/** What becomes of a site's version records. */
export interface SiteHistory {
  /** Key of the record of this content; null: there will be none. */
  readonly key: VersionKey | null
  /** It is not in the repository yet. */
  readonly isNew: boolean
  /** Keys of records that are deleted. */
  readonly pruned: readonly string[]
  /** Why there will be none, for the owner. */
  readonly problem: string | null
}

const nothing: SiteHistory = { key: null, isNew: false, pruned: [], problem: null }

/** `version` null: this session cannot write version records, nor delete them. */
export function planHistory(
  records: SiteRecords,
  version: VersionToWrite | null,
  repository: RepositoryState,
): SiteHistory {
  if (version === null) return nothing
  const { address, now } = records
  const isPreview = version.preview !== undefined
  // An earlier attempt has written it, or an earlier publish of the same content.
  const present = repository.versions.has(version.key)
    ? version.key
    : isPreview
      ? null
      : keyOfSame(records, repository)
  if (present !== null) return { ...nothing, key: present }
  const keep = keepOf(records.settingsOn(repository))
  const isKept = isPreview || keep > 0
  const others = isPreview ? keep : Math.max(keep - 1, 0)
  const { base = null } = version
  const pruned = planVersions(address, repository, { keep: others, now, base })
  if (!isKept) return { ...nothing, pruned: records.isPresent(repository) ? [] : pruned }
  if (!isWithinVersionQuota(address, repository, pruned)) {
    const sentence = isPreview ? overPreviewQuotaSentence : overQuotaSentence
    return { ...nothing, pruned, problem: sentence(versionRecordsMax) }
  }
  return { key: version.key, isNew: true, pruned, problem: null }
}

/** Whether a site may have one more preview, once what a publish prunes is deleted. */
export function isWithinPreviewQuota(
  address: SiteAddress,
  repository: RepositoryState,
  now: number,
): boolean {
  const keep = keepOf(settingsOf(repository))
  return isWithinVersionQuota(address, repository, planVersions(address, repository, { keep, now }))
}

const keepOf = (settings: SiteSettings | null): number =>
  settings?.history?.keep ?? versionsKeptDefault

/** The newest record of the present manifest with the present settings, if the site's content is unchanged. */
function keyOfSame(records: SiteRecords, repository: RepositoryState): VersionKey | null {
  if (!records.isPresent(repository)) return null
  const live = repository.sites.get(records.address.name)?.cid
  const settings = records.settingsOn(repository)
  const same = [...repository.versions].filter(
    ([, { version }]) =>
      version?.site === records.address.name &&
      version.manifest === live &&
      version.root !== undefined &&
      isSameJson(version.settings ?? null, settings),
  )
  const keys = same.flatMap(([key]) => parseVersionKey(key) ?? [])
  return keys.sort().at(-1) ?? null
}
