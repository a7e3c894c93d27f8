import { isSameJson } from '#site/same-json.ts'
import type { SiteAddress } from '#site/site-address.ts'
import type { Directory } from './manifest.ts'
import { partUri } from './part.ts'
import { partKey, type SplitTree } from './split.ts'
import type { VersionRecord } from './version-record.ts'

/** The records of our collections in an account's repository. */
export interface AccountRecords {
  /** Manifests by site name. */
  readonly sites: ReadonlyMap<string, StoredRecord>
  /** Parts by record key. */
  readonly parts: ReadonlyMap<string, StoredRecord>
  /** Version records by record key. */
  readonly versions: ReadonlyMap<string, StoredVersion>
  /** Whether this is every record: an unknown one may still reference a part. */
  readonly isComplete: boolean
}

export interface StoredRecord {
  readonly cid: string
  /** Untrusted, as the server returned it; of one too many, the addresses of the parts that it names. */
  readonly value: unknown
  /** Null if it cannot be parsed. */
  readonly root: Directory | null
}

export interface StoredVersion {
  readonly cid: string
  /** Untrusted, as the server returned it; of one too many, what is needed to delete it. */
  readonly value: unknown
  /** Null if it cannot be parsed. */
  readonly version: VersionFacts | null
}

/** Of a record too many, no other fields. */
export type VersionFacts = Partial<VersionRecord> &
  Pick<VersionRecord, 'site' | 'manifest' | 'pinned' | 'expiresAt'>

/** What the repository should hold of a site. */
export interface NextRecords {
  /** Null: the manifest stays as it is. */
  readonly manifest: SplitTree | null
  /** Of a version record that is written, or there already; null: of none. */
  readonly version: SplitTree | null
  /** Keys of version records that are deleted. */
  readonly pruned: readonly string[]
}

/** The writes that make the repository hold them, but for version records. */
export interface WritePlan {
  /** Keys of missing parts. */
  readonly createParts: readonly string[]
  /** Whether the main record's tree differs from the present one. */
  readonly putMain: boolean
  /** Keys of unreferenced parts. */
  readonly deleteParts: readonly string[]
}

/**
 * Compares a site with the present records. Deletes the parts that its replaced and pruned records referenced, and
 * those that an interrupted publish of this site left; never a part that another site or a version record reaches, and
 * never an unreferenced part that this site did not write.
 */
export function planWrites(
  address: SiteAddress,
  { manifest, version, pruned }: NextRecords,
  records: AccountRecords,
): WritePlan {
  const previous = records.sites.get(address.name)
  const gone = new Set(pruned)
  const own = new Set([...(manifest?.parts.keys() ?? []), ...(version?.parts.keys() ?? [])])
  const kept = manifest === null && previous !== undefined ? [previous.value] : []
  const needed = new Set([
    ...own,
    ...keysOfOthers(address, records, gone),
    ...reachableParts(address, kept, records),
  ])
  return {
    createParts: [...own].filter((key) => !records.parts.has(key)),
    putMain: manifest !== null && !isSameJson(previous?.root, manifest.root),
    deleteParts: obsoleteParts(address, records, { gone, needed }),
  }
}

/** The parts to delete together with a site and its version records. */
export function partsToDelete(address: SiteAddress, records: AccountRecords): string[] {
  const own = new Set(versionsOf(address, records))
  return obsoleteParts(address, records, {
    gone: own,
    needed: keysOfOthers(address, records, own),
  })
}

/** Keys of a site's version records, without those that cannot be parsed. */
export function versionsOf({ name }: SiteAddress, { versions }: AccountRecords): string[] {
  return [...versions].filter(([, { version }]) => version?.site === name).map(([key]) => key)
}

/** The parts to delete together with a version record: those that no other record reaches. */
export function partsOfVersion(
  address: SiteAddress,
  key: string,
  records: AccountRecords,
): string[] {
  const { isComplete, parts, sites, versions } = records
  const value = versions.get(key)?.value
  if (!isComplete || value === undefined) return []
  const others = [...sites, ...[...versions].filter(([other]) => other !== key)]
  const values = others.map(([, { value }]) => value)
  const needed = reachableParts(address, values, records)
  const named = reachableParts(address, [value], records)
  return [...named].filter((part) => parts.has(part) && !needed.has(part))
}

/** Of all records but the site's own and the version records `without`. */
function keysOfOthers(
  address: SiteAddress,
  { sites, versions, ...records }: AccountRecords,
  without: ReadonlySet<string>,
): ReadonlySet<string> {
  const others = [...sites].filter(([name]) => name !== address.name)
  const kept = [...versions].filter(([key]) => !without.has(key))
  const values = [...others, ...kept].map(([, { value }]) => value)
  return reachableParts(address, values, records)
}

/** Named by the site's present record or the version records `gone`, or left behind; without those that are `needed`. */
function obsoleteParts(
  address: SiteAddress,
  records: AccountRecords,
  { gone, needed }: { readonly gone: ReadonlySet<string>; readonly needed: ReadonlySet<string> },
): string[] {
  if (!records.isComplete) return []
  const values = [
    records.sites.get(address.name)?.value,
    ...Array.from(gone, (key) => records.versions.get(key)?.value),
  ]
  const known = values.filter((value) => value !== undefined)
  const named = reachableParts(address, known, records)
  return [...records.parts]
    .filter(([key]) => !needed.has(key))
    .filter(
      ([key, { root }]) => named.has(key) || (root !== null && partKey(address, root) === key),
    )
    .map(([key]) => key)
}

/** Parts referenced directly or through others. Searches the JSON: a record that we cannot parse keeps its parts. */
function reachableParts(
  { did }: SiteAddress,
  values: readonly unknown[],
  { parts }: Pick<AccountRecords, 'parts'>,
): ReadonlySet<string> {
  const prefix = partUri(did, '')
  const reached = new Set<string>()
  const waiting = [...values]
  // the list grows while it is walked
  for (const value of waiting) {
    for (const piece of JSON.stringify(value).split(`"${prefix}`).slice(1)) {
      const key = piece.slice(0, piece.indexOf('"'))
      if (reached.has(key)) continue
      reached.add(key)
      waiting.push(parts.get(key)?.value ?? null)
    }
  }
  return reached
}
