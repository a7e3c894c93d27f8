import type { SitePath } from '#site/path.ts'
import type { Directory, FileNode } from '#site/record/manifest.ts'
import type { AccountRecords } from '#site/record/plan-writes.ts'
import type { SiteAddress } from '#site/site-address.ts'
import type { TreeChanges } from '#site/upload/apply-changes.ts'
import type { VersionKey } from '#site/version-key.ts'
import { expandStored, type ReadContext } from './expand-stored.ts'

/** Changes to the tree of a base, which is the live site or one of its versions. */
export interface BaseChanges extends TreeChanges {
  /** Key of the version record; null: the live site. */
  readonly version: VersionKey | null
}

type BaseFiles =
  | { readonly ok: true; readonly files: ReadonlyMap<SitePath, FileNode> }
  | {
      readonly ok: false
      readonly reason: 'no-version' | 'unreadable'
      /** A sentence for the owner. */
      readonly problem: string
    }

/**
 * The files of a base as its records in the repository have them; none for a site without a record. The value of a version
 * record must have been read. Throws as `expandStored` does.
 */
export async function filesOfBase(
  address: SiteAddress,
  version: VersionKey | null,
  records: AccountRecords,
  context: ReadContext,
): Promise<BaseFiles> {
  const base =
    version === null ? liveRoot(address, records) : versionRoot(address, version, records)
  if (!base.ok) return base
  if (base.root === null) return { ok: true, files: new Map() }
  const expanded = await expandStored(address, base.root, records, context)
  if (expanded.ok) return expanded
  return unreadable(expanded.problems[0] ?? `the part ${expanded.missing[0]} is missing`)
}

/**
 * The live site's files when the listing left some of its parts out: `records` does not name the blobs of those. None when
 * it left out nothing, or the site cannot be read.
 */
export async function unlistedFiles(
  address: SiteAddress,
  records: AccountRecords,
  context: ReadContext,
): Promise<ReadonlyMap<SitePath, FileNode>> {
  const isWhole = records.parts.values().every(({ root }) => root !== null)
  const live = isWhole ? null : await filesOfBase(address, null, records, context)
  return live?.ok ? live.files : new Map()
}

type BaseRoot = { readonly ok: true; readonly root: Directory | null } | Problem
type Problem = Extract<BaseFiles, { ok: false }>

function liveRoot({ name }: SiteAddress, { sites }: AccountRecords): BaseRoot {
  const record = sites.get(name)
  if (record === undefined) return { ok: true, root: null }
  return record.root === null
    ? unreadable('its record is not one of a site')
    : { ok: true, root: record.root }
}

function versionRoot(
  { name }: SiteAddress,
  key: VersionKey,
  { versions }: AccountRecords,
): BaseRoot {
  const version = versions.get(key)?.version
  if (version?.site !== name || version.root === undefined) {
    return { ok: false, reason: 'no-version', problem: versionGone }
  }
  return { ok: true, root: version.root }
}

const versionGone = 'The version that was to be changed is not in your repository any more.'

const unreadable = (problem: string): Problem => ({
  ok: false,
  reason: 'unreadable',
  problem: `The base cannot be changed, because it cannot be read: ${problem}. Send all files of the site instead.`,
})
