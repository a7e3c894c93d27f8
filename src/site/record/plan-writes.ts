import type { SiteAddress } from '#site/site-address.ts'
import type { Directory } from './manifest.ts'
import { partUri } from './part.ts'
import { partKey, type SplitTree } from './split.ts'

/** The records of our collections in an account's repository. */
export interface AccountRecords {
  /** Manifests by site name. */
  readonly sites: ReadonlyMap<string, StoredRecord>
  /** Parts by record key. */
  readonly parts: ReadonlyMap<string, StoredRecord>
  /** Whether this is every record: an unknown one may still reference a part. */
  readonly isComplete: boolean
}

export interface StoredRecord {
  readonly cid: string
  /** Untrusted, as the server returned it. */
  readonly value: unknown
  /** Null if it cannot be parsed. */
  readonly root: Directory | null
}

/** The writes that make the repository hold this version of a site. */
export interface WritePlan {
  /** Keys of missing parts. */
  readonly createParts: readonly string[]
  /** Whether the main record's tree differs from the present one. */
  readonly putMain: boolean
  /** Keys of unreferenced parts. */
  readonly deleteParts: readonly string[]
}

/**
 * Compares a version with the present records. Deletes the parts that this site's previous record referenced, and
 * those that an interrupted publish of this site left; never a part that another site reaches, and never an
 * unreferenced part that this site did not write.
 */
export function planWrites(
  address: SiteAddress,
  version: SplitTree,
  records: AccountRecords,
): WritePlan {
  const previous = records.sites.get(address.name)
  const needed = keysNeeded(address, version, records)
  return {
    createParts: [...version.parts.keys()].filter((key) => !records.parts.has(key)),
    putMain: !Bun.deepEquals(previous?.root, version.root),
    deleteParts: obsoleteParts(address, records).filter((key) => !needed.has(key)),
  }
}

/** The parts to delete together with a site. */
export function partsToDelete(address: SiteAddress, records: AccountRecords): string[] {
  const needed = keysOfOthers(address, records)
  return obsoleteParts(address, records).filter((key) => !needed.has(key))
}

function keysNeeded(
  address: SiteAddress,
  version: SplitTree,
  records: AccountRecords,
): ReadonlySet<string> {
  return new Set([...version.parts.keys(), ...keysOfOthers(address, records)])
}

function keysOfOthers(address: SiteAddress, records: AccountRecords): ReadonlySet<string> {
  const others = [...records.sites].filter(([name]) => name !== address.name)
  return reachableParts(
    address,
    others.map(([, record]) => record.value),
    records,
  )
}

function obsoleteParts(address: SiteAddress, records: AccountRecords): string[] {
  if (!records.isComplete) return []
  const previous = records.sites.get(address.name)
  const named = reachableParts(address, previous ? [previous.value] : [], records)
  const leftBehind = [...records.parts]
    .filter(([key, { root }]) => root !== null && partKey(address, root) === key)
    .map(([key]) => key)
  return [...new Set([...named, ...leftBehind])].filter((key) => records.parts.has(key))
}

/** Parts referenced directly or through others. Searches the JSON: a record that we cannot parse keeps its parts. */
function reachableParts(
  { did }: SiteAddress,
  values: readonly unknown[],
  records: AccountRecords,
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
      waiting.push(records.parts.get(key)?.value ?? null)
    }
  }
  return reached
}
