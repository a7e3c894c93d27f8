import { versionRecordsMax, versionsPrunedMax } from '#site/limits.ts'
import type { SiteAddress } from '#site/site-address.ts'
import type { AccountRecords, VersionFacts } from './plan-writes.ts'

interface Kept {
  /** Versions that were live, the newest: further ones are deleted. */
  readonly keep: number
  readonly now: number
  /** Key of a record that stays; null or left out: none does. */
  readonly base?: string | null
}

/**
 * Keys of a site's version records that are due for deletion, at most `versionsPrunedMax`: expired previews, then the
 * oldest versions beyond `keep`. Never a pinned one, the live one, a preview without an end, or one that cannot be parsed.
 */
export function planVersions(
  { name }: SiteAddress,
  { sites, versions }: Pick<AccountRecords, 'sites' | 'versions'>,
  { keep, now, base = null }: Kept,
): string[] {
  const liveKey = liveVersionKey(name, { sites, versions })
  const own = versionsOf(name, versions)
  const ended = own.filter(({ version }) => isEnded(version, now))
  const replaced = own.filter(({ version }) => version.manifest !== undefined)
  const beyond = replaced.slice(0, Math.max(replaced.length - keep, 0))
  return [...ended, ...beyond]
    .filter(({ key, version }) => !version.pinned && key !== liveKey && key !== base)
    .slice(0, versionsPrunedMax)
    .map(({ key }) => key)
}

/** Whether a site may have one more version record once these are deleted. */
export function isWithinVersionQuota(
  { name }: SiteAddress,
  { versions }: Pick<AccountRecords, 'versions'>,
  pruned: readonly string[],
): boolean {
  return versionsOf(name, versions).length - pruned.length < versionRecordsMax
}

/** Key of the newest of a site's version records that name its present manifest; null: none does. */
export function liveVersionKey(
  name: string,
  { sites, versions }: Pick<AccountRecords, 'sites' | 'versions'>,
): string | null {
  const live = sites.get(name)?.cid
  if (live === undefined) return null
  const own = versionsOf(name, versions)
  return own.findLast(({ version }) => version.manifest === live)?.key ?? null
}

interface KeyedVersion {
  readonly key: string
  readonly version: VersionFacts
}

/** Oldest first: keys are TIDs. */
function versionsOf(name: string, versions: AccountRecords['versions']): KeyedVersion[] {
  return [...versions]
    .flatMap(([key, { version }]) => (version?.site === name ? { key, version } : []))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
}

const isEnded = ({ manifest, expiresAt }: VersionFacts, now: number): boolean =>
  manifest === undefined && expiresAt !== undefined && Date.parse(expiresAt) <= now
