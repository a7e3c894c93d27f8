import type { SiteAddress } from '#site/site-address.ts'
import type { Directory } from './manifest.ts'
import { partUri } from './part.ts'
import { partKey, type SplitTree } from './split.ts'

/** What an account's repository holds of our collections right now. */
export interface AccountRecords {
  /** Manifests by site name. */
  readonly sites: ReadonlyMap<string, StoredRecord>
  /** Parts by record key. */
  readonly parts: ReadonlyMap<string, StoredRecord>
  /** Whether these are all: what is not known of may still need a part. */
  readonly isComplete: boolean
}

export interface StoredRecord {
  readonly cid: string
  /** As the server gave it: anybody may have written it. */
  readonly value: unknown
  /** Its tree, where it can be read. */
  readonly root: Directory | null
}

/** What has to be written so that the repository holds this version of a site. */
export interface WritePlan {
  /** Keys of parts that are not there yet. */
  readonly createParts: readonly string[]
  /** Whether the main record says something else than the one that is there. */
  readonly putMain: boolean
  /** Keys of parts that nobody needs any more. */
  readonly deleteParts: readonly string[]
}

/**
 * Compares a version with what is there. Parts are deleted that this site's record named before, and
 * those that an interrupted publish of this site left behind; never one that another site's record
 * reaches, and never one that somebody else wrote and nothing names.
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

/** The parts that go with a site when it is deleted. */
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

/**
 * Every part that these records name, directly or through other parts. Looks for addresses in the text
 * of a record and not for nodes in its tree: a record that we cannot read still keeps its parts.
 */
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
